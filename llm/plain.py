"""Markdown taken out of an answer: models write it out of habit, and every door shows plain prose."""

from __future__ import annotations

import re

_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
_CODE = re.compile(r"`+([^`]*)`+")
_LINE_STARTS = re.compile(r"^[^\S\n]*(?:#{1,6}|[-*•>])[^\S\n]+", re.MULTILINE)


def without_markdown(text: str) -> str:
    """*text* without bold, code, headings, quotes and bullets; words, marks and line breaks stay.

    Single asterisks stay: a creature's power can be one.
    """
    return _LINE_STARTS.sub("", _CODE.sub(r"\1", _BOLD.sub(r"\2", text)))
