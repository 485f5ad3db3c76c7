"""Card names in running text: the words, the names they may be, and how sure the sentence makes it.

Most single-word names are also words ("opt", "shock", "exile"). Such a name is taken only with evidence around it:
a capital within a sentence, a quote, a verb of casting before it, a verb of resolving after it. The weights were
set by hand and are the same for every word (D53); a card taken wrongly is worse than one missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from judge.folding import fold_name

MAX_WORDS = 9  # words of the longest names people type
MAX_WORDS_UNSPACED = 16  # signs, where every sign counts as a word
ENOUGH = 1  # evidence a doubtful mention needs

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # kana and Han: written without spaces, so every sign is a word
_WORD = re.compile(
    rf"[{_UNSPACED}]|\b(?:[ldjmnstcLDJMNSTC]|[Qq]u)['’](?=\w\w)|(?:(?![{_UNSPACED}])[\w'’‘`´ʼ])+|//?|&|\+"
)
_SENTENCE_END = re.compile(r"[.?!\n…¿¡]")
_QUOTES_BEFORE, _QUOTES_AFTER = "\"“„«'‘‹", "\"”“»'’›"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Folded words next to a name. Verbs of casting stand before it in every language here.
_CASTING = _words(
    "cast casts casting play plays played playing flash flashes resolve resolves copy copies copied "
    "counter counters countered crack cracks activate activates drop drops slam slams reveal reveals "
    "tutor tutors fetch animate bolt lance lances lancer joue joues jouer contre contrer copie wirke "
    "wirkt wirken spiele spielt spielen kontere lanzo lanza lanzar juego juega conjuro lancio lancia "
    "gioco gioca giocare lanco conjura jogo joga named called"
)
_MINE = _words(
    "my his her their your our opps opponents mon ma mes son sa ses ton ta tes mein meine meinen meinem "
    "meiner sein seine seinen ihre mi mis su sus tu tus mio mia suo sua meu minha seu"
)
_TAKING = _words(
    "with by off via using vs versus against and plus + & avec mit con com contre gegen contra contro und et y e"
)
_SUBJECTS = _words("i he she they you we opp opponent can could to will would id ill")
_DOING = _words(
    "resolves resolve resolving trigger triggers triggered etb etbs dies died enters entered hits targets "
    "targeting gets countered fetches out board battlefield play stack resout resolvido stirbt meurt "
    "muere kommt arrive entra kills destroys exiles counters stops deals makes blocks attacks draws "
    "bounces returns protects survives eats taps untaps flips copies gives costs sees checks shuffles "
    "reveals says works cracked activated sacrificed exiled naming chapter kill destroy exile draw make "
    "resolved"
)
_SETTING = _words("on in at vs versus + & with und auf sur en sobre su sul sulla no na num em al a contra")
_WHERE = _words(
    "my his her their the a an your einen eine einer un une una it him out me response antwort reponse "
    "respuesta risposta resposta board play hand stack upkeep that this them mio mia suo sua meu minha "
    "seu mon ma mes son sa ses mein meine seine mi su"
)
_OBJECTS = _words("it him them her my his their your the a an that this own mine")
_GENERIC = _words(
    "effect effects land lands ability abilities spell spells deck decks counter counters damage step "
    "steps phase cost costs mechanic keyword trigger count creature creatures type types rule rules"
)
_OF_A_CARD = _words("trigger damage cost")  # "bob trigger" is the card's; "flying damage" is no card's
_MADE = _words("token tokens")  # "bird token" is no card named Birds
_ARTICLES = _words("a an the another same each")
_INDEFINITE = _words("a an any another each every no some un une ein eine einen uno una um uma")


class Kind(StrEnum):
    """What a name found in the text is."""

    ALIAS = "alias"
    NAME = "name"
    SHORT = "short"  # before the comma
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the text, [start, end) in characters."""

    text: str
    folded: str
    start: int
    end: int
    opens: bool  # first of a sentence


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words first..last (inclusive) of the text, which may be a name. folded: as it is looked up."""

    first: int
    last: int
    folded: str
    text: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a candidate may be no name. level 0: none, it is taken anywhere; each level costs one more evidence."""

    kind: Kind
    level: int = 0
    inflected: bool = False


def words_of(text: str) -> tuple[Word, ...]:
    """The words of *text* in order, hyphens dividing, with the signs that hold names together (/, &, +)."""
    found: list[Word] = []
    end = 0
    for match in _WORD.finditer(text):
        opens = not found or bool(_SENTENCE_END.search(text, end, match.start()))
        found.append(Word(match.group(), fold_name(match.group()), match.start(), match.end(), opens))
        end = match.end()
    return tuple(found)


def candidates(text: str, words: Sequence[Word]) -> Iterator[Candidate]:
    """Every run of up to MAX_WORDS words within a sentence."""
    for first in range(len(words)):
        limit = MAX_WORDS_UNSPACED if re.match(f"[{_UNSPACED}]", words[first].text) else MAX_WORDS
        for last in range(first, min(first + limit, len(words))):
            if last > first and words[last].opens and words[last].folded:
                break
            yield from _reading(text, words, first, last)


def _reading(text: str, words: Sequence[Word], first: int, last: int) -> Iterator[Candidate]:
    piece = text[words[first].start : words[last].end].strip("'’‘`´ʼ")
    if words[first].folded and words[last].folded and (folded := fold_name(piece)):
        yield Candidate(first, last, folded, piece)


def evidence(text: str, words: Sequence[Word], found: Candidate, doubt: Doubt, *, german: bool = False) -> int:
    """How much the sentence speaks for *found* being a card, less what speaks against it; ENOUGH is enough.

    german: nouns are capitalised anyway, so a capital proves nothing.
    """
    first, last = words[found.first], words[found.last]
    before = words[found.first - 1].folded or words[found.first - 1].text if found.first and not first.opens else ""
    after = _next(words, found.last)
    nickname = doubt.kind is Kind.ALIAS
    score = -doubt.level - doubt.inflected * (not nickname)
    score += 0 if german else _capitals(text, words, found)
    score += 3 * _is_quoted(text, first.start, last.end)
    if nickname and before in _ARTICLES:
        before = _before_article(words, found.first)
    score += _before(before, nickname=nickname) + _after(words, found.last, after, nickname=nickname)
    if nickname and before in _SUBJECTS and after in _OBJECTS:
        score += 1  # "he bolts the bird": only a nickname is used as a verb
    if not nickname and before in _SUBJECTS and first.text[:1].islower():
        score -= 1  # "i opt to": the plain verb
    if not nickname and after in _OBJECTS and first.text[:1].islower() and not first.opens:
        score -= 1  # "and redirect it": the same
    return score


def _before_article(words: Sequence[Word], first: int) -> str:
    """The word before the article at first - 1: "copies a bolt" speaks for the card as "copies bolt" does."""
    article = words[first - 1]
    return article.folded if article.opens or first < 2 else words[first - 2].folded


def _before(before: str, *, nickname: bool) -> int:
    if before in _CASTING:
        return 2
    if before in _MINE or before in _TAKING:
        return 1
    if before in _INDEFINITE:
        return 0 if nickname else -1
    return int(nickname and before in _SUBJECTS)


def _after(words: Sequence[Word], last: int, after: str, *, nickname: bool) -> int:
    if after == "of" or after in (_GENERIC - _OF_A_CARD | _MADE if nickname else _GENERIC):
        return -2
    score = int(bool(re.search(r"['’]s?$", words[last].text)))
    if after in _DOING:
        return score + (2 if after.startswith("resol") else 1)
    beyond = _next(words, last + 1)
    return score + (after in _SETTING and (beyond in _WHERE or after != "in"))


def _capitals(text: str, words: Sequence[Word], found: Candidate) -> int:
    """2 for a capital within a sentence of a text that does not capitalise everything."""
    inside = [word for word in words[found.first : found.last + 1] if word.folded]
    capital = [word for word in inside if word.text[:1].isupper() and not word.opens]
    lower = sum(1 for word in words if word.text[:1].islower())
    if not capital or text.isupper() or lower < len(words) / 3:
        return 0
    return 2


def _is_quoted(text: str, start: int, end: int) -> bool:
    return start > 0 and end < len(text) and text[start - 1] in _QUOTES_BEFORE and text[end] in _QUOTES_AFTER


def _next(words: Sequence[Word], last: int) -> str:
    if last + 1 >= len(words) or words[last + 1].opens:
        return ""
    return words[last + 1].folded or words[last + 1].text


def longest_first(found: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """*found* without overlaps: the longest wins, the earlier of two equally long; in the order of the text."""
    taken: list[Candidate] = []
    for candidate in sorted(found, key=lambda c: (-(c.last - c.first), -len(c.folded), c.first)):
        if all(candidate.last < other.first or other.last < candidate.first for other in taken):
            taken.append(candidate)
    return tuple(sorted(taken, key=lambda c: c.first))


def stand_together(words: Sequence[Word], one: Candidate, other: Candidate) -> bool:
    """Whether the two are joined by one word such as "+", "with" or "on": a card named beside it speaks for a word."""
    first, second = sorted((one, other), key=lambda found: found.first)
    if second.first != first.last + 2 or words[second.first].opens:
        return False
    between = words[first.last + 1]
    return (between.folded or between.text) in _TAKING | _SETTING
