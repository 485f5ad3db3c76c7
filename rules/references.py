"""The rule numbers a text names: "rule 702.9", "rules 110.2 and 112.2", "603.7d–f", "119.7–8", "section 8"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from judge.values import RuleId
from rules.numbering import letters_between

_NUMBER = r"[1-9]\d\d\.\d{1,3}"
_DASH = r"[–—-]"
# A rule number and what may stretch it: a range of letters ("603.7d–f"), of rules ("119.7–8"), a whole second
# number ("601.2a–601.2d"), or more letters ("608.3a and b"; never "and a", which is the article).
_MENTION = re.compile(
    rf"(?<![\d.$])(?P<rule>{_NUMBER})(?P<letters>[a-z]{{1,2}})?(?![a-z\d])"
    rf"(?:{_DASH}(?:{_NUMBER}(?=[a-z]))?(?P<last>[a-z]{{1,2}}|\d{{1,3}})(?![a-z\d]|\.\d))?"
    r"(?P<more>(?:(?:, (?:and |or )?| and | or )[b-z](?![a-z\d]))*)"
)
# "section 8"; "rule 510", "rules 701.42, “Meld,” and 730"; "See 706, “Rolling a Die.”"; "([100])".
_SECTION = re.compile(r"\bsections? (?P<digit>[1-9])(?![\d.])")
_SUBSECTION = re.compile(r"(?:\b[Rr]ules? |\b[Ss]ee |\[)([1-9]\d\d)(?![\d.]\d|\d)|\b(?:and|or) ([1-9]\d\d)(?=, “)")
_LONGEST_RANGE = 40  # rules; a longer one is a slip of the pen, and only its ends are taken


@dataclass(frozen=True, slots=True)
class References:
    """What a text names, in the order of the text, each once. sections: "8" or "510"; a section is never a rule."""

    rules: tuple[RuleId, ...] = ()
    sections: tuple[str, ...] = ()


def find_references(text: str) -> References:
    """The rules and sections that *text* names. Ranges are spelled out; whether the rules exist is not checked."""
    rules = (number for mention in _MENTION.finditer(text) for number in _spelled_out(mention))
    sections = [(match.start(), match["digit"]) for match in _SECTION.finditer(text)]
    sections += [(match.start(), match[1] or match[2]) for match in _SUBSECTION.finditer(text)]
    return References(
        rules=tuple(dict.fromkeys(RuleId(number) for number in rules)),
        sections=tuple(dict.fromkeys(number for _, number in sorted(sections))),
    )


def _spelled_out(mention: re.Match[str]) -> list[str]:
    """Every rule number that one mention stands for."""
    rule, letters, last = mention["rule"], mention["letters"] or "", mention["last"] or ""
    numbers = [rule + letters]
    if last.isdigit() and not letters:
        numbers = _rule_range(rule, int(last))
    elif last and letters and not last.isdigit():
        numbers = [rule + letter for letter in letters_between(letters, last)]
    numbers += [rule + letter for letter in re.findall(r"\b[b-z]\b", mention["more"]) if letters]
    return numbers


def _rule_range(first: str, last: int) -> list[str]:
    """ "119.7" up to 119.*last*; only the first when that is no range."""
    section, number = first.split(".")
    if not int(number) < last <= int(number) + _LONGEST_RANGE:
        return [first]
    return [f"{section}.{each}" for each in range(int(number), last + 1)]


_MASKED = re.compile(
    rf"\b(?:{_NUMBER}(?:[a-z]{{1,2}})?(?![a-z\d])(?:{_DASH}(?:[a-z]{{1,2}}|\d{{1,3}})\b)?|[1-9]\d\d\b)"
)


def mask_numbers(text: str) -> str:
    """*text* with every rule and section number as "#", so that renumbered rules compare equal."""
    return _MASKED.sub("#", text)
