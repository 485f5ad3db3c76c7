"""What a model sends back is decoded or refused with the field at fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judge.errors import VerdictRejected
from judge.questions import MAX_QUESTION, parse_question
from judge.raw import (
    MAX_CONCEPT,
    RawExtraction,
    RawVerdict,
    decode_extraction,
    decode_verdict,
    extraction_of,
    schema_of,
)
from judge.rejections import Malformed
from judge.values import CardSpan, CategoryKey

VERDICT = {"answer": "Yes.", "confidence": "high", "citations": [{"kind": "rule", "id": "750.9", "quote": "Sogging"}]}
EXTRACTION: dict[str, Any] = {
    "spans": ["newt", "Black Lotus", "newt's"],
    "question_en": " Does the newt die? ",
    "concepts": ["a", "b", "a", "c", "d", "e", "f", "g", " "],
    "sections": ["750", "750.9", "sogging", "760", "770", "780", "790"],
    "primary": "combat",
    "secondary": ["combat", "stack", "made_up", "zones", "layers"],
    "source": "cr",
    "answer_language": "DE-de",
}
CATEGORIES = frozenset(map(CategoryKey, ("combat", "stack", "zones", "layers")))


def test_a_fence_around_the_json_is_forgiven() -> None:
    assert decode_verdict(f"```json\n{json.dumps(VERDICT)}\n```").answer == "Yes."


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        pytest.param("Sure! The answer is yes.", "JSON", id="prose"),
        pytest.param("", "JSON", id="nothing"),
        pytest.param('{"answer": "Yes.", "confidence": "high"}', "citations", id="field missing"),
        pytest.param(json.dumps(VERDICT | {"confidence": "certain"}), "confidence", id="unknown confidence"),
        pytest.param(
            json.dumps(VERDICT | {"citations": [{"kind": "summary", "id": "1", "quote": "Sogging"}]}),
            "citations.0",
            id="a summary is no source",
        ),
        pytest.param(json.dumps(VERDICT).replace("Yes.", "\\ud800"), "hex escape", id="escaped lone surrogate"),
        pytest.param(json.dumps(VERDICT).replace("Yes.", "\ud800"), "unicode", id="lone surrogate"),
        pytest.param(json.dumps(VERDICT)[:-5], "JSON", id="cut off"),
    ],
)
def test_what_cannot_be_decoded_names_what_is_wrong(reply: str, names: str) -> None:
    with pytest.raises(VerdictRejected) as caught:
        decode_verdict(reply)
    assert isinstance(caught.value.rejection, Malformed)
    assert names in caught.value.rejection.reason


def test_fields_nobody_asked_for_are_ignored() -> None:
    assert not hasattr(decode_verdict(json.dumps(VERDICT | {"edition": "1999-01-01"})), "edition")


@pytest.mark.parametrize("model", [RawVerdict, RawExtraction])
def test_the_schema_holds_only_what_strict_modes_take(model: type[RawVerdict] | type[RawExtraction]) -> None:
    text = json.dumps(schema_of(model))
    for word in ("oneOf", "discriminator", "minimum", "maxLength", "minItems", '"default"'):
        assert word not in text


def test_the_schema_says_nothing_the_prompt_does_not() -> None:
    text = json.dumps(schema_of(RawVerdict))
    assert '"description"' not in text
    assert '"title"' not in text
    assert list(schema_of(RawVerdict)["properties"]) == ["working", "citations", "answer", "confidence"]


def test_what_is_searched_for_is_bounded() -> None:
    raw = decode_extraction(json.dumps(EXTRACTION | {"question_en": "newt " * 900, "concepts": ["newt\x00 " * 90]}))
    made = extraction_of(raw, parse_question("Does the newt die?"), CATEGORIES)
    assert len(made.question_en) <= MAX_QUESTION
    assert len(made.concepts[0]) <= MAX_CONCEPT
    assert "\x00" not in made.concepts[0]


def test_every_object_of_the_schema_is_closed_and_requires_all_its_fields() -> None:
    schema = schema_of(RawVerdict)
    objects = [schema, *(one for one in schema["$defs"].values() if one.get("type") == "object")]
    assert len(objects) == 7
    for one in objects:
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])


def test_an_extraction_keeps_what_the_question_and_the_categories_hold() -> None:
    raw = decode_extraction(json.dumps(EXTRACTION))
    made = extraction_of(raw, parse_question("Does the Newt's trigger resolve?"), CATEGORIES)
    assert made.spans == (CardSpan("newt", sure=True), CardSpan("newt's", sure=True))
    assert made.question_en == "Does the newt die?"
    assert made.concepts == ("a", "b", "c", "d", "e", "f")
    assert made.sections == ("750", "760", "770", "780")
    assert made.secondary == ("stack", "zones")
    assert made.answer_language == "de"


def test_a_category_that_does_not_exist_is_malformed() -> None:
    raw = decode_extraction(json.dumps(EXTRACTION | {"primary": "made_up"}))
    with pytest.raises(VerdictRejected, match="made_up"):
        extraction_of(raw, parse_question("Does the newt die?"), CATEGORIES)
