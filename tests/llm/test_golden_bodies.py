"""The exact body every backend sends, pinned.

JUDGE_WRITE_GOLDEN=1 writes the files anew; read the diff before a commit.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from llm.anthropic import AnthropicBackend
from llm.anthropic import body_of as anthropic_body
from llm.embeddings import VOYAGE, HttpEmbeddings
from llm.openai import OPENAI, OpenAIBackend
from llm.openai import body_of as openai_body
from tests.llm import requests

GOLDEN = Path(__file__).parent / "golden"

CLAUDE = AnthropicBackend(model="claude-invented-1", api_key="k", thinking=True)
PLAIN_CLAUDE = AnthropicBackend(model="claude-invented-0", api_key="k", effort=False)
GPT = OpenAIBackend(model="gpt-invented-1", api_key="k", effort=True)
SMALL = OpenAIBackend(
    model="tiny", base_url="http://127.0.0.1:1/v1", output_schema=False, strict_tools=False, legacy_max_tokens=True
)

VOYAGE_EMBEDS = HttpEmbeddings(
    provider="voyage", model="voyage-4", width=512, base_url=VOYAGE, says_purpose=True, sends_width=True
)
OPENAI_EMBEDS = HttpEmbeddings(provider="openai", model="e", width=512, base_url=OPENAI)

BODIES: dict[str, Any] = {
    "anthropic_plain": anthropic_body(requests.plain(), CLAUDE),
    "anthropic_fresh": anthropic_body(requests.fresh(), CLAUDE),
    "anthropic_after_lookup": anthropic_body(requests.after_lookup("anthropic"), CLAUDE),
    "anthropic_without_effort": anthropic_body(requests.fresh(), PLAIN_CLAUDE),
    "openai_plain": openai_body(requests.plain(), GPT),
    "openai_fresh": openai_body(requests.fresh(), GPT),
    "openai_after_lookup": openai_body(requests.after_lookup("openai"), GPT),
    "openai_in_words": openai_body(requests.fresh(), SMALL),
    "voyage_query": VOYAGE_EMBEDS.body(["Does a newt glow?"], query=True),
    "openai_embeddings": OPENAI_EMBEDS.body(["700.1. Newts glow."], query=False),
}


@pytest.mark.parametrize("name", BODIES)
def test_the_body_is_what_it_was(name: str) -> None:
    body = json.dumps(BODIES[name], indent=2, ensure_ascii=False) + "\n"
    file = GOLDEN / f"{name}.json"
    if os.environ.get("JUDGE_WRITE_GOLDEN") == "1":
        file.write_text(body, encoding="utf-8")

    assert body == file.read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    assert {file.stem for file in GOLDEN.glob("*.json")} == set(BODIES)


def test_the_system_prompt_is_the_same_whatever_a_server_can_do() -> None:
    bodies = [openai_body(requests.fresh(), backend) for backend in (GPT, SMALL)]

    assert bodies[0]["messages"][0] == bodies[1]["messages"][0]
    assert "JSON schema" in bodies[1]["messages"][-1]["content"]


def test_a_turn_of_another_provider_is_never_replayed() -> None:
    with pytest.raises(ValueError, match="cannot be replayed"):
        anthropic_body(requests.after_lookup("openai"), CLAUDE)
    with pytest.raises(ValueError, match="cannot be replayed"):
        openai_body(requests.after_lookup("anthropic"), GPT)
