"""Which language a question is written in: by its script, else by its function words."""

from __future__ import annotations

import re
import unicodedata

from judge.folding import fold_name

DEFAULT = "en"

# Words that hold sentences together, folded. Words two languages share count for both, so they decide nothing.
_FUNCTION_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "en": "me about any no to just only after before write the a an is are was be does do did can could "
        "will would my his her their your i he she it they we you of in on for with from and or but if "
        "when then what which who how that this these still not into at by has have had as so than there "
        "out get gets its im dont doesnt isnt cant whats thats",
        "fr": "le la les l un une des du de d au aux je j tu il elle on nous vous ils elles mon ma mes son sa "
        "ses est sont ai as a ont peut peux et ou mais si quand que qu qui quoi quel quelle pour avec "
        "sans sur dans en ne n pas ce c cette ces comment y lui leur deja meme alors encore apres avant "
        "plus suis etre",
        "de": "der die das den dem des ein eine einen einem einer und oder aber wenn wann ich du er sie es wir "
        "ihr mein meine meinen meiner sein seine ist sind hat habe haben kann kannst darf muss mit ohne "
        "auf in im am zu zum zur von vom fur aus bei nicht kein keine was wer wie welche dann noch auch "
        "schon doch bekomme wird werden mir mich",
        "es": "el la los las un una unos unas de del al y o pero si cuando que quien cual como yo tu su sus mi "
        "mis es son esta estan ha he han puede puedo puedes con sin sobre en por para no se le lo me te "
        "ya tambien entonces tengo tiene cuantas cuantos hay antes despues sigue nada",
        "it": "il lo la i gli le un uno una di del della dei delle al alla e o ma se quando che chi cosa come "
        "io tu lui lei mio mia miei suo sua suoi sono ha ho hanno posso puo con senza su sul sulla in nel "
        "nella per non si ci mi ti anche poi ancora dopo prima quale quanti questo questa",
        "pt": "o a os as um uma uns umas de do da dos das no na nos nas e ou mas se quando que quem qual como "
        "eu tu ele ela meu minha meus seu sua seus sao tem tenho posso pode com sem sobre em por para nao "
        "lhe me te ja tambem entao depois antes ainda isso esse essa voce ao",
    }.items()
}
# The words only one of the six has, worth more than those two share.
_OWN_WORDS = {
    language: words - frozenset().union(*(others for other, others in _FUNCTION_WORDS.items() if other != language))
    for language, words in _FUNCTION_WORDS.items()
}
_OWN_WEIGHT = 2  # an own word against a shared one
_SPANISH_SIGNS = "¿¡"  # no other language opens a sentence with them
_SCRIPTS = (("HIRAGANA", "ja"), ("KATAKANA", "ja"), ("HANGUL", "ko"), ("CJK", "zh"), ("CYRILLIC", "ru"))
_SCRIPT_SHARE = 0.3  # part of the letters that has to be in a script, so that one foreign card name decides nothing
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str) -> str:
    """The ISO 639-1 code of *text*'s language: one of en, fr, de, es, it, pt, ja, ko, zh, ru; "en" in doubt."""
    if any(sign in text for sign in _SPANISH_SIGNS):
        return "es"
    return _by_script(text) or _by_function_words(text)


def function_words(language: str) -> frozenset[str]:
    """The folded function words of *language*, empty for a language not told apart by them."""
    return _FUNCTION_WORDS.get(language, frozenset())


def _by_script(text: str) -> str | None:
    letters = [char for char in text if char.isalpha()]
    found: dict[str, int] = {}
    for char in letters:
        name = unicodedata.name(char, "")
        for script, language in _SCRIPTS:
            if name.startswith(script):
                found[language] = found.get(language, 0) + 1
    if not found or sum(found.values()) < _SCRIPT_SHARE * len(letters):
        return None
    # Japanese writes most words in Han characters too: any kana make it Japanese.
    return "ja" if "ja" in found else max(found, key=lambda language: found[language])


def _by_function_words(text: str) -> str:
    # Elided articles are words of their own here: "l'autre" is l and autre.
    words = [fold_name(word) for word in _WORD.findall(text)]
    scores = {
        language: sum(_OWN_WEIGHT if word in _OWN_WORDS[language] else word in known for word in words)
        for language, known in _FUNCTION_WORDS.items()
    }
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] > scores[DEFAULT] else DEFAULT
