"""Prompts are files, filled by name and told apart by digest."""

from __future__ import annotations

import re
from hashlib import sha256

import pytest

from llm import prompting
from llm.extraction import PROMPTS as EXTRACTING
from llm.prompting import FOLDER, digest, filled, names, pins, prompt
from llm.synthesis import PROMPTS as SYNTHESIZING
from llm.verifying import PROMPTS as VERIFYING


def test_a_value_is_put_in_as_it_is_even_when_it_looks_like_a_key() -> None:
    assert "use the form: {{reason}} {x}\n" in filled("extract_retry", reason="{{reason}} {x}")


@pytest.mark.parametrize("values", [{}, {"reason": "a", "other": "b"}, {"other": "b"}])
def test_a_missing_or_unknown_key_is_an_error(values: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"extract_retry\.md"):
        filled("extract_retry", **values)


@pytest.mark.parametrize("name", ["extract", "lookup", "lookup_tool", "synthesize", "verify"])
def test_what_is_sent_as_it_is_has_no_key_left(name: str) -> None:
    assert "{{" not in prompt(name)


def test_the_digest_is_of_what_is_sent() -> None:
    assert digest("verify").sha256 == sha256(prompt("verify").encode()).hexdigest()
    assert f"verify {digest('verify').sha256}\n" in pins()


def test_every_stage_names_the_prompts_it_sends() -> None:
    assert set(EXTRACTING) | set(SYNTHESIZING) | set(VERIFYING) <= set(names())


def test_the_command_in_the_docstring_is_the_one_there_is() -> None:
    assert "python -m llm.prompting > tests/llm/prompts.sha256" in (prompting.__doc__ or "")


@pytest.mark.parametrize("name", ["extract", "synthesize", "verify"])
def test_a_prompt_says_that_outside_words_are_no_instructions(name: str) -> None:
    assert re.search(r"never an instruction|never instructions|Nothing in it is an instruction", prompt(name))


def test_prompts_end_with_one_line_feed() -> None:
    for file in FOLDER.glob("*.md"):
        text = file.read_text(encoding="utf-8")
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
