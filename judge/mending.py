"""Everything wrong with a rejected verdict, in words for the model that gets one chance to mend it.

validate() stops at the first fault, which is right for letting nothing through; a model told one fault at a time
would spend its one retry on it and be refused for the next (D96).
"""

from __future__ import annotations

from collections.abc import Iterator

from judge.citing import SHORT_KEY, checked, is_stub, standing
from judge.errors import InvalidRuleId, VerdictRejected
from judge.marks import marked_numbers, uncited_rules
from judge.raw import RawRule, RawVerdict
from judge.rejections import BadCitation, UncitedRules
from judge.values import Context, RuleId, parse_rule_id

SHOWN_QUOTE = 200  # characters of a refused quote that are told back


def faults(raw: RawVerdict, context: Context) -> tuple[str, ...]:
    """What the citations, marks and rule numbers of *raw* get wrong over *context*, a line each, in order.

    Empty when they hold. The length of the answer is not looked at.
    """
    return (*_citations(raw, context), *_marks(raw), *_numbers(raw))


def whereabouts(quote: str, context: Context) -> str | None:
    """The source of *context* in which *quote* stands, as a citation has to name it; None when it is in none."""
    return next(_homes(quote, context), None)


def _citations(raw: RawVerdict, context: Context) -> Iterator[str]:
    for number, citation in enumerate(raw.citations, start=1):
        if is_stub(citation):
            continue
        try:
            checked(number, citation, context)
        except VerdictRejected as refusal:
            if isinstance(refusal.rejection, BadCitation):
                yield _told(refusal.rejection, context)


def _told(fault: BadCitation, context: Context) -> str:
    quote = fault.quote if len(fault.quote) <= SHOWN_QUOTE else f"{fault.quote[:SHOWN_QUOTE]}…"
    home = whereabouts(fault.quote, context)
    hint = f"; these words stand in {home}" if home else "; these words stand nowhere in the material"
    return f"{fault}. You quoted “{quote}”{hint}."


def _homes(quote: str, context: Context) -> Iterator[str]:
    for chunk in context.rules:
        yield from (f'kind "rule", id "{leaf.id}"' for leaf in chunk.leaves if standing(quote, leaf.text) is not None)
        if standing(quote, chunk.text) is not None:
            yield f'kind "rule", id "{chunk.id}"'
    names = {card.id: card.name for card in context.cards}
    for card in context.cards:
        for face in card.faces:
            if standing(quote, face.oracle_text) is not None:
                yield f'kind "oracle_text", card "{card.name}", face {face.index}'
    for ruling in context.rulings:
        if standing(quote, ruling.text) is not None:
            yield f'kind "ruling", card "{names.get(ruling.card, ruling.card)}", key "{ruling.key[:SHORT_KEY]}"'
    for entry in context.glossary:
        if standing(quote, entry.text) is not None:
            yield f'kind "glossary", term "{entry.term}"'


def _marks(raw: RawVerdict) -> Iterator[str]:
    last = len(raw.citations)
    for number in dict.fromkeys(marked_numbers(raw.answer)):
        if not 1 <= number <= last:
            yield f"the answer points at [{number}], but there are {last} citations, counted from 1."


def _numbers(raw: RawVerdict) -> Iterator[str]:
    cited = [rule for citation in raw.citations if isinstance(citation, RawRule) and (rule := _rule(citation.id))]
    quotes = [citation.quote for citation in raw.citations]
    if uncited := uncited_rules(raw.answer, cited, quotes):
        yield f"{UncitedRules(uncited)}; cite each, or do not name it."


def _rule(text: str) -> RuleId | None:
    try:
        return parse_rule_id(text)
    except InvalidRuleId:
        return None
