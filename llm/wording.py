"""Asks in words for what a backend cannot enforce. The words go into the last user turn, never the system prompt."""

from __future__ import annotations

import json
from dataclasses import replace

from llm.backends import Capabilities
from llm.messages import Request, TextBlock, UserTurn


def in_words(request: Request, capabilities: Capabilities) -> Request:
    """*request* with its output schema put in words where *capabilities* do not hold a reply to it."""
    if request.output is None or capabilities.output_schema:
        return request
    asked = (
        "Reply with one JSON object and nothing else: no Markdown fence, no words before or after it. "
        f"It must fit this JSON schema:\n{json.dumps(request.output.schema, ensure_ascii=False, sort_keys=True)}"
    )
    *before, last = request.turns
    assert isinstance(last, UserTurn), "a request ends with a user turn"
    return replace(request, turns=(*before, replace(last, blocks=(*last.blocks, TextBlock(asked)))), output=None)
