"""The Comprehensive Rules parser: bytes in, ParsedEdition out. Pure; reads no file.

The layout, as published: title, effective line, introduction, contents, the body (sections 1 to 9), glossary,
credits. "Glossary" and "Credits" stand alone on a line twice: in the contents and as the real headings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from rules.body import parse_body
from rules.errors import NotComprehensiveRules
from rules.file_text import decode, split_lines
from rules.glossary import parse_glossary
from rules.parsed import ParsedEdition, ParsedSection

_EFFECTIVE = re.compile(r"These rules are effective as of ([A-Z][a-z]+) (\d{1,2}), (\d{4})\.?")
_CONTENTS_ENTRY = re.compile(r"([1-9]|[1-9]\d\d)\. (\S.*)")
_PREAMBLE = 12  # lines in which title, sample mark and effective line must stand
_SAMPLE_MARK = "sample data"  # a line before the effective line that starts so (D10)
_NAME_DATE = re.compile(r"(?<!\d)(\d{8})(?!\d)")


@dataclass(frozen=True, slots=True)
class _Parts:
    """Where the document's parts lie: preamble, contents, body, glossary and credits, as lines."""

    preamble: list[str]
    contents: list[str]
    body: list[str]
    body_starts: int  # line number of the body's first line, from 1
    glossary: list[str]
    credits: list[str]


def parse_edition(data: bytes, file_name: str = "") -> ParsedEdition:
    """The edition that *data* holds. Raises NotComprehensiveRules when it is no complete rules text.

    file_name is only checked: a date in it that is not the effective date is a warning, because a file can be
    reissued under a new name with the old date.
    """
    text = decode(data)
    parts = _split(split_lines(text))
    effective, warnings = _effective_date(parts.preamble), []
    contents = _contents(parts.contents)
    body = parse_body(parts.body, contents, first_line=parts.body_starts)
    glossary, glossary_warnings = parse_glossary(parts.glossary)
    credit_paragraphs = tuple(filter(None, parts.credits))
    _require_complete(contents, body.sections, glossary=len(glossary), credit_count=len(credit_paragraphs))
    if not text.endswith(("\r", "\n", "\u2028", "\xa0")):
        warnings.append("The file does not end in a line end; its last credits paragraph may be cut off.")
    return ParsedEdition(
        effective=effective,
        is_sample=any(line.lower().startswith(_SAMPLE_MARK) for line in parts.preamble),
        sections=body.sections,
        rules=body.rules,
        glossary=glossary,
        credits=credit_paragraphs,
        continuation_lines=body.continuation_lines,
        warnings=(*_name_warnings(file_name, effective), *warnings, *body.warnings, *glossary_warnings),
    )


def _split(lines: list[str]) -> _Parts:
    """The parts of the document; raises where one is missing, and says how far the file goes."""
    title = next(filter(None, lines), "")
    if "comprehensive rules" not in title.lower():
        raise NotComprehensiveRules(f"it begins {title[:60]!r}, not with the title of the Comprehensive Rules.")
    contents = _find(lines, "Contents", 0, "the contents")
    contents_end = _find(lines, "Credits", contents, "the end of the contents")
    glossary = _find(lines, "Glossary", contents_end + 1, "the glossary")
    credits_start = _find(lines, "Credits", glossary + 1, "the credits")
    return _Parts(
        preamble=[line for line in lines[:contents] if line][:_PREAMBLE],
        contents=lines[contents + 1 : contents_end],
        body=lines[contents_end + 1 : glossary],
        body_starts=contents_end + 2,
        glossary=lines[glossary + 1 : credits_start],
        credits=lines[credits_start + 1 :],
    )


def _find(lines: list[str], heading: str, start: int, part: str) -> int:
    """The first line from *start* that is *heading* alone."""
    try:
        return lines.index(heading, start)
    except ValueError:
        last = next(filter(None, reversed(lines)), "")
        raise NotComprehensiveRules(
            f"it ends before {part} (its last line begins {last[:60]!r}); the file was cut off or is damaged."
        ) from None


def _effective_date(preamble: list[str]) -> date:
    """The date of the effective line."""
    for line in preamble:
        if match := _EFFECTIVE.match(line):
            try:
                return datetime.strptime(" ".join(match.groups()), "%B %d %Y").date()  # noqa: DTZ007  # a date only
            except ValueError:
                raise NotComprehensiveRules(f"its date is none: {match.group()!r}.") from None
    raise NotComprehensiveRules("the line 'These rules are effective as of <date>' is missing at its top.")


def _contents(lines: list[str]) -> dict[str, str]:
    """The sections and subsections that the contents list: number to title, in order."""
    listed = {match[1]: match[2] for line in lines if (match := _CONTENTS_ENTRY.fullmatch(line))}
    if not any(len(number) == 3 for number in listed):
        raise NotComprehensiveRules("its contents list no sections.")
    return listed


def _require_complete(
    contents: dict[str, str], sections: tuple[ParsedSection, ...], *, glossary: int, credit_count: int
) -> None:
    """Raises when something the contents promise is not there: a damaged copy must not replace a whole one (D13)."""
    missing = [number for number in contents if number not in {section.number for section in sections}]
    if missing:
        shown = ", ".join(missing[:5]) + (" and more" if len(missing) > 5 else "")
        raise NotComprehensiveRules(f"its contents list sections that are not in it: {shown}.")
    if not glossary:
        raise NotComprehensiveRules("its glossary is empty.")
    if not credit_count:
        raise NotComprehensiveRules("it ends before the text of the credits; the file was cut off.")


def _name_warnings(file_name: str, effective: date) -> list[str]:
    """A warning when the file's name does not carry the effective date. Names have had nine digits (FIELD A3)."""
    if not re.search(r"\d{6,}", file_name):
        return []
    match = _NAME_DATE.search(file_name)
    if match and match[1] == f"{effective:%Y%m%d}":
        return []
    return [f"The file is named {file_name}, but its rules are effective as of {effective}; the text's date counts."]
