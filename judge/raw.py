"""What a model sends back: pydantic models that decode it and give the JSON schema asked of it.

Nothing in here is trusted. RawVerdict becomes a Verdict in judge.verdict.validate(), RawExtraction an
Extraction in extraction_of(). No numeric or length constraints stand in the schema: some providers refuse
them, so code checks those. Unknown fields are ignored (a model cannot stamp its own edition), yet
the schema forbids them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from judge.characters import without_controls
from judge.errors import VerdictRejected
from judge.questions import MAX_QUESTION, drop_invented_spans, occurrences
from judge.rejections import Malformed
from judge.values import CardSpan, CategoryKey, Confidence, Extraction, Question, Source

MAX_CONCEPTS = 6  # DESIGN 2
MAX_CONCEPT = 200  # characters; each is a search of its own
MAX_SECTIONS = 4
MAX_SECONDARY = 2

_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)
_SECTION = re.compile(r"[1-9]\d\d")
_LANGUAGE = re.compile(r"[a-z]{2}")
_UNASKED = frozenset(
    {"discriminator", "default", "title", "description"}
)  # JSON schema keywords left out of schema_of()


class _Raw(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra={"additionalProperties": False})


class RawRule(_Raw):
    """A quote said to stand in a rule or subrule."""

    kind: Literal["rule"]
    id: str
    quote: str


class RawRuling(_Raw):
    """A quote said to stand in a ruling on *card* (a name or oracle id)."""

    kind: Literal["ruling"]
    card: str
    key: str
    quote: str


class RawOracleText(_Raw):
    """A quote said to stand in the Oracle text of one face of *card*; the front is 0."""

    kind: Literal["oracle_text"]
    card: str
    face: int = 0
    quote: str


class RawGlossary(_Raw):
    """A quote said to stand in a glossary entry."""

    kind: Literal["glossary"]
    term: str
    quote: str


class RawCardData(_Raw):
    """A quote said to stand in the card data as judge.rendering words it."""

    kind: Literal["card_data"]
    card: str
    quote: str


class RawPriorCall(_Raw):
    """A quote said to stand in the answer of an earlier call."""

    kind: Literal["prior_call"]
    id: int
    quote: str


RawCitation = Annotated[
    RawRule | RawRuling | RawOracleText | RawGlossary | RawCardData | RawPriorCall, Field(discriminator="kind")
]


class RawVerdict(_Raw):
    """A verdict nobody has checked. `[n]` in the answer points at citation n, counted from 1.

    A model writes the fields in this order: it works the case out, chooses its quotes, then says what follows from
    them (D97). working: its notes, read by nobody but the operator; dropped by validate().
    """

    working: str = ""
    citations: tuple[RawCitation, ...]
    answer: str
    confidence: Confidence


class RawExtraction(_Raw):
    """An extraction nobody has checked."""

    spans: tuple[str, ...]
    question_en: str
    concepts: tuple[str, ...]
    sections: tuple[str, ...]
    primary: str
    secondary: tuple[str, ...] = ()
    source: Source
    answer_language: str


def decode_verdict(reply: str) -> RawVerdict:
    """The raw verdict in a model's *reply*; a Markdown fence around the JSON is forgiven.

    Raises VerdictRejected(Malformed) naming the fields at fault.
    """
    return decoded(RawVerdict, reply)


def decode_extraction(reply: str) -> RawExtraction:
    """The raw extraction in a model's *reply*. Raises VerdictRejected(Malformed) naming the fields at fault."""
    return decoded(RawExtraction, reply)


def extraction_of(raw: RawExtraction, question: Question, categories: Collection[CategoryKey]) -> Extraction:
    """*raw* with invented spans dropped and every list cut to what an Extraction holds.

    Raises VerdictRejected(Malformed) when the primary category is none of *categories*; secondary ones that
    do not exist, and sections that are no three digits, are dropped.
    """
    primary = CategoryKey(raw.primary.strip())
    if primary not in categories:
        raise VerdictRejected(Malformed(f"primary: {raw.primary!r} is no category"))
    secondary = (CategoryKey(key.strip()) for key in raw.secondary)
    language = raw.answer_language.strip().lower()[:2]
    return Extraction(
        spans=drop_invented_spans(tuple(_span(text, question) for text in raw.spans), question),
        question_en=without_controls(raw.question_en).strip()[:MAX_QUESTION] or question.text,
        concepts=_distinct(without_controls(text)[:MAX_CONCEPT] for text in raw.concepts)[:MAX_CONCEPTS],
        sections=tuple(s for s in _distinct(raw.sections) if _SECTION.fullmatch(s))[:MAX_SECTIONS],
        primary=primary,
        secondary=tuple(key for key in dict.fromkeys(secondary) if key in categories and key != primary)[
            :MAX_SECONDARY
        ],
        source=raw.source,
        answer_language=language if _LANGUAGE.fullmatch(language) else "en",
    )


def _span(text: str, question: Question) -> CardSpan:
    """A name of the question itself is surely meant; one carried over from an earlier question never blocks (D58)."""
    return CardSpan(text, sure=bool(occurrences(text, question.text)))


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema asked of a model: every field required, unions as anyOf.

    pydantic writes oneOf with a discriminator, which strict modes do not take; defaults are for decoding only. Titles
    and docstrings are left out: they speak to whoever reads this file, and the prompt alone speaks to a model.
    """
    schema = _strict(model.model_json_schema())
    assert isinstance(schema, dict)
    return schema


def decoded[T: BaseModel](model: type[T], reply: str) -> T:
    """The *model* in a reply; a Markdown fence around the JSON is forgiven.

    Raises VerdictRejected(Malformed) naming the fields at fault.
    """
    fenced = _FENCE.match(reply)
    try:
        return model.model_validate_json(fenced.group(1) if fenced else reply)
    except (ValidationError, UnicodeError) as error:
        raise VerdictRejected(Malformed(_faults(error))) from error


def _faults(error: ValidationError | UnicodeError) -> str:
    """The first few faults, each with the field it stands in."""
    if isinstance(error, UnicodeError):
        return "the text is no valid Unicode"
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in faults[:3])


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stripped for text in texts if (stripped := text.strip())))


def _strict(node: Any) -> Any:
    """*node* in the words every provider's strict mode takes. No field of ours may be called as one of _UNASKED."""
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    turned = {
        ("anyOf" if key == "oneOf" else key): _strict(value) for key, value in node.items() if key not in _UNASKED
    }
    if turned.get("type") == "object" and "properties" in turned:
        turned["required"] = list(turned["properties"])
    return turned
