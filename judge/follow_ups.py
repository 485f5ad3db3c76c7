"""Whether a question goes on from the one before it in its thread, or begins anew."""

from __future__ import annotations

import re

from judge.folding import fold_name
from judge.values import Question

SHORT = 5  # words of a question that is too short to tell all by itself


def _any_of(words: str) -> str:
    return "|".join(re.escape(word).replace("_", " ") for word in words.split())


# Folded: no accents, no punctuation; an underscore stands for a space. They join what is said now to what was said.
_JOINS = re.compile(
    rf"(?:(?:ok|okay|yes|no|right|sure|thanks|well|hm+|ah|oh) )*(?:{
        _any_of(
            'and but so or then also what_if what_about how_about what_happens_then even_if same instead why why_not '
            'how_so now_what really is_that does_that is_this does_this would_that '
            'und aber oder dann auch was_wenn was_ist_wenn warum et mais ou alors aussi et_si pourquoi y pero o '
            'entonces tambien que_pasa_si por_que e ma oppure allora anche perche mas tambem entao'
        )
    })\b"
)
_FRAGMENT = re.compile(
    rf"(?:{_any_of('with without in on at during after before from if when unless while for to only not twice')})\b"
)
_ASKS_ANEW = re.compile(r"(?:what (?:is|are|does|do)|whats|how (?:do|does|is|are)|explain|define|who|which|rule)\b")
_PRONOUN = re.compile(
    rf"\b(?:{
        _any_of(
            'it its itself he him she they them their that those these both this_one that_one the_other '
            'the_first the_second the_former the_latter er ihn ihm dieser diese dieses davon damit dessen il elle ils '
            'elles ca cela celui celle lui ella ellos ellas eso esto ese esa este esta esso essa questo questa quello '
            'quella ele ela eles elas isso isto esse essa'
        )
    }|the same(?! (?:time|turn|name)\b))\b"
)
_UNSPACED = re.compile("那|這|这|它|其|それ|その|これ|この|あれ|では|그|이것|그것")
# A noun before the pronoun, which it may stand for. Persons are none, nor are the times and places of the game.
_ANTECEDENT = re.compile(
    r"\b(?:an?|the|my|his|her|their|your|any|another|each|every|all|two|three|four|some|no|one|\d+)\s+"
    r"(?!opponents?\b|opps?\b|players?\b|owners?\b|controllers?\b|turns?\b|upkeep\b|phases?\b|steps?\b|stack\b|"
    r"battlefield\b|graveyard\b|hand\b|library\b|game\b|end\b|main\b|combat\b|beginning\b|same\b|other\b|first\b|"
    r"second\b|response\b|time\b|one\b)\w+"
)


def follows_up(question: Question, *, has_subject: bool = False) -> bool:
    """Whether *question* is about what the question before it in its history was about.

    It joins on ("and if", "what about"), has a pronoun with nothing before it to stand for, or is too short to tell
    all. has_subject: it names something of its own (a card, a term of the rules), so being short says nothing.
    """
    if not question.history:
        return False
    folded = fold_name(question.text)
    if _JOINS.match(folded) or _UNSPACED.search(question.text):
        return True
    if (pronoun := _PRONOUN.search(folded)) and not _ANTECEDENT.search(folded, 0, pronoun.start()):
        return True
    if len(folded.split()) > SHORT or _ASKS_ANEW.match(folded):
        return False
    return _FRAGMENT.match(folded) is not None or not has_subject
