"""The body of a Comprehensive Rules file: sections, rules, subrules, examples and continuation lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from judge.values import RuleId, parent_of
from rules.numbering import successors
from rules.parsed import ParsedRule, ParsedSection, ParsedSubrule

_SECTION = re.compile(r"([1-9]|[1-9]\d\d)\. (\S.*)")
# "119.1d. In" and "901.4.All" and "606.5 If" all occur; a subrule has no period as a rule.
_SUBRULE = re.compile(r"([1-9]\d\d\.\d{1,3}[a-z]{1,2})(?:\.\s*|\s+)(\S.*)")
_RULE = re.compile(r"([1-9]\d\d\.\d{1,3})(?:\.\s*|\s+)(\S.*)")
_EXAMPLE = "Example:"
_SENTENCE_END = re.compile(r"[.:][”’\")]*$")
_HEADING_LIMIT = 80  # characters; the longest heading so far has 30


@dataclass(frozen=True, slots=True)
class ParsedBody:
    """Sections and subsections, rules, and what was odd."""

    sections: tuple[ParsedSection, ...]
    rules: tuple[ParsedRule, ...]
    continuation_lines: int
    warnings: tuple[str, ...]


@dataclass(slots=True)
class _Line:
    """A rule or subrule while it is read."""

    number: RuleId
    text: list[str]
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Reader:
    """The state of reading the body line by line."""

    contents: Mapping[str, str]
    sections: dict[str, str] = field(default_factory=dict)
    lines: dict[RuleId, _Line] = field(default_factory=dict)
    current: _Line | None = None
    last_number: str = ""  # what the next number has to follow
    in_example: bool = False
    continuation_lines: int = 0
    warnings: list[str] = field(default_factory=list)

    def read(self, line: str, place: int, *, after_blank: bool) -> None:
        """Takes the non-blank *line*, number *place* of the file."""
        if line.startswith(_EXAMPLE):
            self._example(line, place)
        elif match := self._section(line, after_blank=after_blank):
            self._open_section(match[1], match[2], place)
        elif match := self._numbered(line, after_blank=after_blank):
            self._open_line(RuleId(match[1]), match[2], place)
        else:
            self._continue(line, place, after_blank=after_blank)

    def _section(self, line: str, *, after_blank: bool) -> re.Match[str] | None:
        """The match of *line* as a heading that the contents list and that was not there yet."""
        match = _SECTION.fullmatch(line)
        is_heading = match and after_blank and match[1] in self.contents and match[1] not in self.sections
        return match if is_heading else None

    def _numbered(self, line: str, *, after_blank: bool) -> re.Match[str] | None:
        """The match of *line* as a rule or subrule.

        A blank line stands before each; without one only the number that had to come next counts, so a
        wrapped cross-reference does not start a rule.
        """
        match = _SUBRULE.fullmatch(line) or _RULE.fullmatch(line)
        if match is None or RuleId(match[1]) in self.lines:
            return None
        return match if after_blank or match[1] in successors(self.last_number) else None

    def _open_section(self, number: str, title: str, place: int) -> None:
        self.sections[number] = title
        if self.contents[number] != title:
            self.warnings.append(f"Line {place}: {number} is {title!r} here and {self.contents[number]!r} above.")
        self.current, self.in_example, self.last_number = None, False, number

    def _open_line(self, number: RuleId, text: str, place: int) -> None:
        if number not in successors(self.last_number):
            self.warnings.append(f"Line {place}: {number} does not follow {self.last_number or 'any section'}.")
        self.current = self.lines[number] = _Line(number, [text])
        self.in_example, self.last_number = False, number

    def _example(self, line: str, place: int) -> None:
        if self.current is None:
            self.warnings.append(f"Line {place}: an example that belongs to no rule was left out.")
            return
        self.current.examples.append(line)
        self.in_example = True

    def _continue(self, line: str, place: int, *, after_blank: bool) -> None:
        """Adds *line* to the example it directly follows, else to the rule above (as in 205.4c and 509.1b)."""
        if self.current is None:
            self.warnings.append(f"Line {place} belongs to no rule and was left out: {line[:60]!r}.")
        elif self.in_example and not after_blank:
            self.current.examples[-1] += f"\n{line}"
        else:
            if after_blank:
                self.warnings.append(f"Line {place} was added to {self.current.number}: {line[:60]!r}.")
            self.current.text.append(line)
            self.continuation_lines += 1


def parse_body(lines: Sequence[str], contents: Mapping[str, str], *, first_line: int) -> ParsedBody:
    """The body in *lines* (stripped, the first being line *first_line* of the file).

    contents: number to title of the sections and subsections that may occur as headings.
    """
    reader = _Reader(contents)
    after_blank = True
    for place, line in enumerate(lines, start=first_line):
        if line:
            reader.read(line, place, after_blank=after_blank)
        after_blank = not line
    return ParsedBody(
        sections=tuple(ParsedSection(number, title) for number, title in reader.sections.items()),
        rules=tuple(_rules(reader)),
        continuation_lines=reader.continuation_lines,
        warnings=tuple(reader.warnings),
    )


def _rules(reader: _Reader) -> Iterator[ParsedRule]:
    """The rules with their subrules gathered; adds a warning for a subrule that has no rule."""
    by_rule: dict[RuleId, list[_Line]] = {}
    for line in reader.lines.values():
        by_rule.setdefault(parent_of(line.number), []).append(line)
    for number, group in by_rule.items():
        own = next((line for line in group if line.number == number), _Line(number, [""]))
        if not own.text[0]:
            reader.warnings.append(f"{number} has subrules but does not stand in the file itself.")
        subrules = tuple(
            ParsedSubrule(line.number, "\n".join(line.text), tuple(line.examples))
            for line in group
            if line.number != number
        )
        text = "\n".join(own.text)
        yield ParsedRule(number, text, tuple(own.examples), subrules, _heading(text, has_subrules=bool(subrules)))


def _heading(text: str, *, has_subrules: bool) -> str:
    """*text* where it is a heading: short, without a closing period or colon, with subrules under it."""
    is_heading = has_subrules and len(text) <= _HEADING_LIMIT and "\n" not in text and not _SENTENCE_END.search(text)
    return text if is_heading else ""
