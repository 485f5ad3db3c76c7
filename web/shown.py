"""A reply object made ready for the templates: the ruling apart from its reasons, quotes in their passages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings

from calls.about import about
from calls.presentation import CitationObject, ReplyObject, embedding_line, notices
from judge.values import CorpusState
from web.passages import Passage, passage
from web.picks import encode_pick

_KINDS = {
    "rule": "rule",
    "ruling": "official ruling",
    "oracle_text": "Oracle text",
    "glossary": "glossary",
    "card_data": "card data",
    "prior_call": "earlier call",
}
_RULING_LENGTH = 160  # characters; a longer first sentence reads better as prose than as a headline
_CURT = 15  # characters; "Yes." says too little to stand alone
# A full stop inside a rule number ends nothing; marks behind the stop belong to the sentence.
_SENTENCE_END = re.compile(r"[.!?。！？][”\"’)]*(?:\s*\[\d+\])*(?:\s+|$)")


@dataclass(frozen=True, slots=True)
class ShownCitation:
    """One citation: *head* is linked, *rest* follows it. number counts from 1."""

    number: int
    kind: str
    head: str
    rest: str
    url: str
    passage: Passage
    caution: str = ""


def site(state: CorpusState) -> dict[str, Any]:
    """What every page shows around its content."""
    return {
        "about": about(),
        "edition": state.edition,
        "sample": state.sample,
        "notices": [line for line in notices(state) if line != embedding_line(state)][1 if state.sample else 0 :],
        "embedding": embedding_line(state),
        "debug": settings.DEBUG,
    }


def view_of(reply: ReplyObject) -> dict[str, Any]:
    """*reply* with what the templates need beside it."""
    shown: dict[str, Any] = dict(reply)
    if "answer" in reply:
        shown["ruling"], shown["reasons"] = split_answer(reply["answer"])
        shown["opening"] = reply["answer"].partition("\n\n")[0]
    if "citations" in reply:
        shown["citations"] = [_citation(number, one) for number, one in enumerate(reply["citations"], start=1)]
    if reply["edition"]:
        shown["edition"] = date.fromisoformat(reply["edition"])
    for span in shown.get("spans", ()):
        for candidate in span["candidates"]:
            candidate["pick"] = encode_pick(span["span"], candidate["name"])
    return shown


def split_answer(answer: str) -> tuple[str, list[str]]:
    """(ruling, paragraphs of reasoning): the opening where it is short enough for a headline, else "".

    The opening is the first sentence, with the next one where it only says yes or no.
    """
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", answer) if part.strip()]
    end = _opening_end(paragraphs[0]) if paragraphs else 0
    if not end:
        return "", paragraphs
    rest = paragraphs[0][end:].strip()
    return paragraphs[0][:end].strip(), [rest, *paragraphs[1:]] if rest else paragraphs[1:]


def _opening_end(paragraph: str) -> int:
    """Where the opening of *paragraph* ends; 0 where it has none short enough."""
    ends = [match.end() for match in _SENTENCE_END.finditer(paragraph)][:2]
    if not ends or ends[0] > _RULING_LENGTH or "\n" in paragraph[: ends[0]].strip():
        return 0
    return ends[1] if ends[0] < _CURT and len(ends) > 1 and ends[1] <= _RULING_LENGTH else ends[0]


def _citation(number: int, citation: CitationObject) -> ShownCitation:
    head, _, rest = citation["label"].partition(" " if citation["kind"] == "rule" else ", ruling of ")
    return ShownCitation(
        number=number,
        kind=_KINDS[citation["kind"]],
        head=head,
        rest=rest,
        url=citation["url"],
        passage=passage(citation["quote"], citation["text"]),
        caution=citation.get("caution", ""),
    )
