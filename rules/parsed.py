"""A Comprehensive Rules file as values: what the parser makes and the load stores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from judge.values import RuleId


@dataclass(frozen=True, slots=True)
class ParsedSection:
    """A section ("7") or subsection ("702") and its title."""

    number: str
    title: str


@dataclass(frozen=True, slots=True)
class ParsedSubrule:
    """A subrule: its line with continuation lines (a line feed between), and the Example paragraphs under it."""

    number: RuleId
    text: str
    examples: tuple[str, ...] = ()

    @property
    def body(self) -> str:
        """What may be quoted under the subrule's number: text and examples, a line each."""
        return "\n".join((self.text, *self.examples))


@dataclass(frozen=True, slots=True)
class ParsedRule:
    """A rule: its line, the examples under that line, and its subrules in order."""

    number: RuleId
    text: str
    examples: tuple[str, ...] = ()
    subrules: tuple[ParsedSubrule, ...] = ()
    heading: str = ""  # "Trample" where the rule is only a heading, else ""

    @property
    def section(self) -> str:
        """The subsection the rule stands in: "702"."""
        return self.number.split(".")[0]

    @property
    def own_text(self) -> str:
        """The rule's line and its examples, without the subrules."""
        return "\n".join((self.text, *self.examples))

    @property
    def body(self) -> str:
        """The search unit: line, examples, then every subrule led by its number, a line each."""
        return "\n".join((self.own_text, *(f"{sub.number} {sub.body}" for sub in self.subrules)))


@dataclass(frozen=True, slots=True)
class ParsedTerm:
    """One glossary entry; text keeps its lines. forms: the term's comma-separated forms, quotes dropped."""

    term: str
    text: str
    forms: tuple[str, ...]
    is_obsolete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedEdition:
    """A whole Comprehensive Rules file.

    sections hold sections and subsections in order of the document. warnings are sentences for the operator:
    oddities that were read over, none of which loses text.
    """

    effective: date
    is_sample: bool
    sections: tuple[ParsedSection, ...]
    rules: tuple[ParsedRule, ...]
    glossary: tuple[ParsedTerm, ...]
    credits: tuple[str, ...]
    continuation_lines: int
    warnings: tuple[str, ...] = ()

    def lines(self) -> Iterator[ParsedRule | ParsedSubrule]:
        """Every rule and subrule in order of the document."""
        for rule in self.rules:
            yield rule
            yield from rule.subrules

    def counts(self) -> dict[str, int]:
        """How much there is of everything; kept with the edition and shown to the operator."""
        lines = list(self.lines())
        return {
            "sections": sum(len(section.number) == 1 for section in self.sections),
            "subsections": sum(len(section.number) == 3 for section in self.sections),
            "rules": len(self.rules),
            "subrules": len(lines) - len(self.rules),
            "examples": sum(len(line.examples) for line in lines),
            "with_examples": sum(bool(line.examples) for line in lines),
            "continuation_lines": self.continuation_lines,
            "glossary": len(self.glossary),
            "glossary_obsolete": sum(term.is_obsolete for term in self.glossary),
            "credits": len(self.credits),
        }
