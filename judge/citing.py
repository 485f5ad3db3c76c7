"""Raw citations looked up in a context: each either becomes a Citation that holds, or a BadCitation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import assert_never
from uuid import UUID

from judge.characters import without_controls
from judge.errors import InvalidRuleId, VerdictRejected
from judge.folding import fold_name
from judge.quotes import locate, quoted
from judge.raw import RawCardData, RawCitation, RawGlossary, RawOracleText, RawPriorCall, RawRule, RawRuling
from judge.rejections import BadCitation
from judge.rendering import card_data
from judge.values import (
    Card,
    CardDataCitation,
    Citation,
    Context,
    GlossaryCitation,
    OracleTextCitation,
    PriorCallCitation,
    RuleChunk,
    RuleCitation,
    RuleId,
    Ruling,
    RulingCitation,
    parent_of,
    parse_rule_id,
)

MIN_QUOTE = 4  # characters; a shorter quote proves nothing (DESIGN 4.6)
SHORT_KEY = 8  # characters that may stand for a ruling's whole key: a model copies 64 of them wrong
MAX_QUOTE = 2_000  # characters; the longest rule worth quoting whole is shorter

# What models write into a quote field when they have nothing to quote.
_STOCK = frozenset(
    {"n/a", "none", "null", "quote", "quotes", "text", "string", "citation", "source", "rule", "ruling", "unknown"}
    | {"empty", "blank", "todo", "example", "no quote", "see above", "see rule", "not applicable", "not available"}
    | {"placeholder", "verbatim quote", "quote here", "exact quote"}
)
_OWN_NUMBER = re.compile(r"^(?:rule |cr )?[1-9]\d\d\.\d{1,3}[a-z]{0,2}\.? +", re.IGNORECASE)
_OWN_MARKS = re.compile(r"^[\"“„«‘'](.*)[\"”“»’']$", re.DOTALL)
_CUT_MARKS = re.compile(r"^(?:\.{3}|…|\[…\]|\[\.\.\.\])?\s*(.*?)\s*(?:\.{3}|…|\[…\]|\[\.\.\.\])?$", re.DOTALL)


def is_stub(citation: RawCitation) -> bool:
    """Whether *citation* quotes nothing: blank, a stock word, or under 4 characters."""
    bare = without_controls(citation.quote).strip().strip("\"“”'‘’<>[](){}").strip()
    return len(bare) < MIN_QUOTE or bare.casefold().rstrip(".:") in _STOCK


def checked(number: int, raw: RawCitation, context: Context) -> Citation:
    """*raw*, the answer's citation *number*, with the source's own characters as its quote.

    Raises VerdictRejected(BadCitation) when the reference is not in *context* or the quote is not there.
    """
    return _Check(number, raw, context).citation()


class _Check:
    """One citation under examination; every refusal says where it looked."""

    def __init__(self, number: int, raw: RawCitation, context: Context) -> None:
        self.number, self.raw, self.context = number, raw, context
        self.quote = without_controls(raw.quote)

    def citation(self) -> Citation:
        match self.raw:
            case RawRule():
                return self._rule(self.raw)
            case RawRuling():
                return self._ruling(self.raw)
            case RawOracleText():
                return self._oracle_text(self.raw)
            case RawGlossary():
                return self._glossary(self.raw)
            case RawCardData():
                return self._card_data(self.raw)
            case RawPriorCall():
                return self._prior_call(self.raw)
        assert_never(self.raw)

    def _rule(self, raw: RawRule) -> RuleCitation:
        where = f"rule {raw.id[:20]}"
        try:
            rule = parse_rule_id(raw.id)
        except InvalidRuleId as error:
            raise self._refusal(where, "this is no rule number") from error
        text = _rule_text(rule, self.context.rules)
        if text is None:
            raise self._refusal(where, "this rule was not among the rules given")
        found = standing(self.quote, text)
        if found is None:
            raise self._refusal(where, _elsewhere(self.quote, rule, self.context.rules))
        return RuleCitation(rule, found)

    def _ruling(self, raw: RawRuling) -> RulingCitation:
        where = f"ruling on {raw.card[:80]}"
        cards = self._cards(raw.card, where)
        keyed = [ruling for ruling in self.context.rulings if _is_keyed(ruling, raw.key.strip())]
        own = [(card, ruling) for ruling in keyed for card in cards if ruling.card == card.id]
        if not own:
            raise self._refusal(where, _no_such_ruling(keyed, self.context))
        for card, ruling in own:
            if (found := standing(self.quote, ruling.text)) is not None:
                return RulingCitation(card.id, ruling.key, found)
        raise self._refusal(where, _NOT_VERBATIM)

    def _oracle_text(self, raw: RawOracleText) -> OracleTextCitation:
        where = f"Oracle text of {raw.card[:80]}, face {raw.face}"
        cards = self._cards(raw.card, where)
        faces = [(card, face) for card in cards for face in card.faces if face.index == raw.face]
        if not faces:
            raise self._refusal(where, "the card has no such face; the front is face 0")
        for card, face in faces:
            if (found := standing(self.quote, face.oracle_text)) is not None:
                return OracleTextCitation(card.id, face.index, found)
        for card in cards:
            for face in card.faces:
                if standing(self.quote, face.oracle_text) is not None:
                    raise self._refusal(where, f"the quote stands on face {face.index}, {face.name}")
        raise self._refusal(where, _NOT_VERBATIM)

    def _glossary(self, raw: RawGlossary) -> GlossaryCitation:
        where = f"glossary entry {raw.term[:80]}"
        wanted = fold_name(raw.term)
        entries = [entry for entry in self.context.glossary if fold_name(entry.term) == wanted]
        if not wanted or not entries:
            raise self._refusal(where, "this entry was not among those given")
        for entry in entries:
            if (found := standing(self.quote, entry.text)) is not None:
                return GlossaryCitation(entry.term, found)
        raise self._refusal(where, _NOT_VERBATIM)

    def _card_data(self, raw: RawCardData) -> CardDataCitation:
        where = f"card data of {raw.card[:80]}"
        for card in self._cards(raw.card, where):
            if (found := standing(self.quote, card_data(card))) is not None:
                return CardDataCitation(card.id, found)
        raise self._refusal(where, _NOT_VERBATIM)

    def _prior_call(self, raw: RawPriorCall) -> PriorCallCitation:
        where = f"earlier call {raw.id}"
        for call in self.context.prior_calls:
            if call.id == raw.id:
                if (found := standing(self.quote, call.answer)) is not None:
                    return PriorCallCitation(call.id, found)
                raise self._refusal(where, _NOT_VERBATIM)
        raise self._refusal(where, "this call was not among those given")

    def _cards(self, name: str, where: str) -> list[Card]:
        """The context's cards *name* can mean: an oracle id, or a full or face name (two cards may share one)."""
        cards = [card for card in self.context.cards if _is_called(card, name)]
        if not cards:
            raise self._refusal(where, "this card was not among the cards given")
        return cards

    def _refusal(self, where: str, reason: str) -> VerdictRejected:
        return VerdictRejected(BadCitation(self.number, where, self.quote, reason))


_NOT_VERBATIM = "the quote does not stand there word for word"


def _rule_text(rule: RuleId, chunks: Iterable[RuleChunk]) -> str | None:
    """What may be quoted from *rule*: the whole chunk for a rule, its own text for a subrule."""
    for chunk in chunks:
        if chunk.id == rule:
            return chunk.text
        if chunk.id == parent_of(rule):
            return next((leaf.text for leaf in chunk.leaves if leaf.id == rule), None)
    return None


def _elsewhere(quote: str, rule: RuleId, chunks: Iterable[RuleChunk]) -> str:
    """Why *quote* was not found, naming the rule of the same chunk it stands in, if any."""
    for chunk in chunks:
        if chunk.id != parent_of(rule):
            continue
        for leaf in chunk.leaves:
            if standing(quote, leaf.text) is not None:
                return f"the quote stands in {leaf.id}"
        if standing(quote, chunk.text) is not None:
            return f"the quote stands in {chunk.id}"
    return _NOT_VERBATIM


def _is_keyed(ruling: Ruling, key: str) -> bool:
    """Whether *key* is the key of *ruling*, or long enough a beginning of it."""
    return ruling.key == key or (len(key) >= SHORT_KEY and ruling.key.startswith(key))


def _no_such_ruling(keyed: Iterable[Ruling], context: Context) -> str:
    owners = {ruling.card for ruling in keyed}
    names = sorted(card.name for card in context.cards if card.id in owners)
    return f"this ruling belongs to {' and '.join(names)}" if names else "the card has no ruling of that key"


def _is_called(card: Card, name: str) -> bool:
    try:
        return card.id == UUID(name.strip())
    except ValueError:
        wanted = fold_name(name)
        return wanted != "" and wanted in {fold_name(card.name), *(fold_name(face.name) for face in card.faces)}


def standing(quote: str, text: str) -> str | None:
    """The characters of *text* that *quote* stands for, or None."""
    if len(quote) > MAX_QUOTE:
        return None
    for form in _honest_forms(quote):
        if len(form.strip()) >= MIN_QUOTE and (span := locate(form, text)) is not None:
            return quoted(span, text)
    return None


def _honest_forms(quote: str) -> Iterator[str]:
    """*quote*, then without what a quoter puts around one: own quotation marks, cut marks, the rule's number."""
    yield quote
    form = quote.strip()
    for frame in (_OWN_MARKS, _CUT_MARKS):
        if match := frame.match(form):
            form = match.group(1).strip()
            yield form
    if _OWN_NUMBER.match(form):
        yield _OWN_NUMBER.sub("", form)
