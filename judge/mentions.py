"""Card names in running text: the words, the names they may be, and how sure the sentence makes it.

Most single-word names are also words ("opt", "shock", "exile"). Such a name is taken only with evidence around it:
a capital within a sentence, a quote, a verb of casting before it, a verb of resolving after it. The weights were
set by hand and are the same for every word (D53); a card taken wrongly is worse than one missed. A term of the rules
("Vigilance") is capitalised and quoted as a term, so it needs words that are said of cards only (D47).
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
NO_CARD = -9  # evidence that nothing beside it makes up for

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
# What is said of a card and never of an ability: these alone make a term of the rules a card (D47).
_CARD_WORDS = _words(
    "card cards aura instant sorcery enchantment named called copy cast casts casting play plays played playing slam "
    "slams tutor tutors karte karten carte carta cartas wirke wirkt wirken spiele spielt spielen joue joues jouer "
    "lance lancer lanzo lanza lanzar juego juega conjuro lancio lancia gioco gioca giocare conjura jogo joga"
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
_ZONES = _words("response play hand yard graveyard gy library deck exile")  # what a card can be in
_OBJECTS = _words("it him them her my his their your the a an that this own mine")
_GENERIC = _words(
    "effect effects land lands ability abilities spell spells deck decks counter counters damage step "
    "steps phase cost costs mechanic keyword trigger count creature creatures type types rule rules"
)
_OF_A_CARD = _words("trigger damage cost")  # "bob trigger" is the card's; "flying damage" is no card's
_MADE = _words("token tokens")  # "bird token" is no card named Birds
_ARTICLES = _words("a an the another same each")
# What is done to is a card in play or on the stack: "i drain his two drop", but not "i bridge the gap" (D55).
_PLAYED = _words(
    "creature guy dude drop token spell land attacker blocker commander planeswalker walker pw artifact enchantment "
    "permanent dork legend opponent opp face trigger ability"
)
_PERSONS = _words("me you him her us them")
_OBJECT_WORDS = 4  # words after the verb that are looked at for it
_PARTICLES = _words("out off up over through down away around along back in on")  # "map it out": an everyday verb
# A noun right behind these has no article, which ordinary countable nouns never go without: "does decay kill it".
_BARE_AFTER = _words(
    "does do did if is was when whenever while after before once then and or but with for into against vs versus "
    "from off via plus + & because since has have had equip equipping under like"
)
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
    verb: bool = True  # its word is a verb outside the game too: "drain", "push", but not "path"
    term: bool = False  # it is a term of the rules: "vigilance", "exile"

    @property
    def nickname(self) -> bool:
        """Whether a nickname is doubted."""
        return self.kind is Kind.ALIAS


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


def evidence(
    text: str,
    words: Sequence[Word],
    found: Candidate,
    doubt: Doubt,
    *,
    german: bool = False,
    named: frozenset[int] = frozenset(),
) -> int:
    """How much the sentence speaks for *found* being a card, less what speaks against it; ENOUGH is enough.

    german: nouns are capitalised anyway, so a capital proves nothing. named: places of words that are, or belong to,
    names of cards.
    """
    if doubt.term and not doubt.nickname and not _is_called_a_card(words, found):
        return NO_CARD
    first, last = words[found.first], words[found.last]
    score = -doubt.level - doubt.inflected * (not doubt.nickname)
    score += 0 if german or (doubt.term and doubt.nickname) else _capitals(text, words, found)
    score += 2 * (doubt.term and _previous(words, found.first) in _CARD_WORDS - _CASTING)
    score += 3 * _is_quoted(text, first.start, last.end)
    before, after = _previous(words, found.first), _next(words, found.last)
    if doubt.nickname and before in _SUBJECTS:
        return score + _as_verb(words, found, doubt, named)
    score += _after(words, found.last, after, nickname=doubt.nickname)
    if doubt.nickname and before in _ARTICLES:
        # "a leak in the rules" is anywhere; only what stands before the article tells "copies a leak".
        beyond = _next(words, found.last + 1)
        zone = beyond in _ZONES or (beyond in _MINE and _next(words, found.last + 2) in _ZONES)
        score -= after in _SETTING and (beyond in _ARTICLES or (after == "in" and not zone))
        before = _before_article(words, found.first)
    if not (doubt.term and before == "with"):  # "a creature with echo"
        score += _before(before, nickname=doubt.nickname)
    if not doubt.nickname and first.text[:1].islower():
        score -= before in _SUBJECTS  # "i opt to": the plain verb
        score -= after in _OBJECTS and not first.opens  # "and redirect it": the same
    return score


def _is_called_a_card(words: Sequence[Word], found: Candidate) -> bool:
    """Whether the words beside *found*, a term of the rules, are said of cards only: "cast Exile", "Exile resolves"."""
    before = _previous(words, found.first)
    if before == "of" and found.first > 1 and words[found.first - 2].folded in ("copy", "copies"):
        return True
    return before in _CARD_WORDS or _next(words, found.last).startswith("resol")


def bare(words: Sequence[Word], found: Candidate, named: frozenset[int]) -> int:
    """1 where *found*, a nickname, stands as only a name or a command can: without an article, or with what it hits.

    "wrath with a shield out", "does decay kill it", "push my bob": no ordinary noun is used so (D55).
    """
    before, after = _previous(words, found.first), _next(words, found.last)
    if before and before not in _BARE_AFTER:
        return 0
    if after in _PARTICLES and _next(words, found.last + 1) not in _WHERE:
        return 0
    return 1 + (not before and after in _OBJECTS and _hits_a_card(words, found.last, named))


def _as_verb(words: Sequence[Word], found: Candidate, doubt: Doubt, named: frozenset[int]) -> int:
    """What a nickname after "i", "can" or "to" is worth: it needs an object that is played, or a response.

    A word that nobody uses as a verb outside the game needs an object only.
    """
    last = found.last
    after, beyond = _next(words, last), _next(words, last + 1)
    if after in _PERSONS | {"it", "that", "this"} and beyond in _PARTICLES and _next(words, last + 2) not in _WHERE:
        return 0  # "to drain him out"
    if after.startswith("resol") or _in_response(words, last) or after in ("it", "that", "this"):
        return 2
    game_verb = not doubt.verb or found.folded.removesuffix("s").removesuffix("ed") in _CASTING
    if _hits_a_card(words, last, named) or (game_verb and after in _OBJECTS | _PERSONS):
        return 2
    return int(after in _SETTING and beyond in _WHERE and after not in ("with", "at"))


def _following(words: Sequence[Word], last: int, at_most: int) -> list[int]:
    """The places of the next *at_most* words of the same sentence."""
    places: list[int] = []
    for at in range(last + 1, min(last + 1 + at_most, len(words))):
        if words[at].opens:
            break
        places.append(at)
    return places


def _in_response(words: Sequence[Word], last: int) -> bool:
    """Whether "in response" follows within a few words."""
    following = [words[at].folded for at in _following(words, last, _OBJECT_WORDS + 1)]
    return "in response" in " ".join(following)


def _hits_a_card(words: Sequence[Word], last: int, named: frozenset[int]) -> bool:
    """Whether what follows the verb within a few words, and before its next preposition, is one thing in play."""
    for at in _following(words, last, _OBJECT_WORDS):
        word = words[at].folded
        if word in (_SETTING - {"a"}) | {"into", "of", "to", "all", "every"}:
            return False
        if at in named or word in _PLAYED or word.isdigit():
            return _next(words, at) not in _PARTICLES - {"in", "on"} | {"into"}
    return False


def _previous(words: Sequence[Word], first: int) -> str:
    """The word, or sign, before; "" at the start of a sentence."""
    return words[first - 1].folded or words[first - 1].text if first and not words[first].opens else ""


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
    return 0


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
