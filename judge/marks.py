"""`[n]` marks and rule numbers in an answer's prose.

A mark counts citations from 1. Models also write "[1, 2]" and "[1-3]"; both become marks of one number each,
so that a renderer needs to know one form only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from judge.errors import InvalidRuleId
from judge.quotes import locate
from judge.values import RULE_ID_IN_PROSE, RuleId, covers, parse_rule_id

# Not "[+1]" or "[−3]" (loyalty costs), not "[[Name]]", not "[702.19b]" (a rule number, looked at as such).
_MARK = re.compile(r"(?<!\[)\[\s*(\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)\s*\](?!\])")
_RANGE = re.compile(r"(\d{1,4})\s*[–-]\s*(\d{1,4})")
_LONGEST_RANGE = 50  # "[1-9999]" is no list of citations

MIN_QUOTED_WORDS = 5  # a shorter quote found in the prose does not speak for the numbers in it; D41


def marked_numbers(answer: str) -> tuple[int, ...]:
    """Every number marked in *answer*, in order, ranges spelled out."""
    return tuple(number for match in _MARK.finditer(answer) for number in _numbers(match.group(1)))


def renumber(answer: str, new: Mapping[int, int | None]) -> str:
    """*answer* with each mark given its *new* number, one number a mark; None takes the mark away.

    The space before a mark that goes away goes with it. Every marked number must be in *new*.
    """

    def rewritten(match: re.Match[str]) -> str:
        kept = dict.fromkeys(now for old in _numbers(match.group(2)) if (now := new[old]) is not None)
        marks = "".join(f"[{number}]" for number in kept)
        return f"{match.group(1)}{marks}" if marks else ""

    return re.sub(rf"([ \u00a0]?){_MARK.pattern}", rewritten, answer)


def uncited_rules(answer: str, cited: Sequence[RuleId], quotes: Iterable[str]) -> tuple[RuleId, ...]:
    """The rules *answer* names that none of *cited* covers (same rule, parent or subrule), each once.

    Numbers inside one of *quotes*, where the answer repeats it word for word, are the source's own words and
    not a claim of the answer (D41).
    """
    prose = _without(quotes, answer)
    named = dict.fromkeys(rule for match in RULE_ID_IN_PROSE.finditer(prose) if (rule := _rule(match.group())))
    return tuple(rule for rule in named if not any(covers(rule, one) for one in cited))


def _numbers(group: str) -> tuple[int, ...]:
    """The numbers of one bracket: "1, 3-5" is 1, 3, 4, 5."""
    numbers: list[int] = []
    for part in re.split(r"[,;]", group):
        if match := _RANGE.fullmatch(part.strip()):
            first, last = int(match.group(1)), int(match.group(2))
            long = not 0 <= last - first < _LONGEST_RANGE
            numbers.extend((first, last) if long else range(first, last + 1))
        else:
            numbers.extend(int(number) for number in re.findall(r"\d+", part))
    return tuple(numbers)


def _rule(text: str) -> RuleId | None:
    """The rule *text* names; None for a number no rule has, such as "200.000" (no rule number begins with 0)."""
    if text.partition(".")[2].startswith("0"):
        return None
    try:
        return parse_rule_id(text)
    except InvalidRuleId:  # the pattern for prose and the one for ids are two; prose may not end in a traceback
        return None


def _without(quotes: Iterable[str], answer: str) -> str:
    """*answer* with every verbatim repetition of a long enough quote blanked."""
    for quote in sorted(quotes, key=len, reverse=True):
        if len(quote.split()) < MIN_QUOTED_WORDS:
            continue
        while (span := locate(quote, answer)) is not None:
            answer = answer[: span.start] + " " * (span.end - span.start) + answer[span.end :]
    return answer
