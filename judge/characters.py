"""Text made safe to store and show: no control characters, no lone surrogates, one kind of line break."""

from __future__ import annotations

import unicodedata

# Bidi overrides can make a shown quote read backwards; the rest are invisible and break comparisons.
# The joiners U+200C and U+200D stay: several scripts need them.
_INVISIBLE = frozenset("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")
_LINE_BREAKS = str.maketrans({"\r": "\n", "\u2028": "\n", "\u2029": "\n", "\x85": "\n", "\x0b": "\n", "\x0c": "\n"})


def without_controls(text: str) -> str:
    """*text* that Postgres, JSON and a screen can carry: composed (NFC), line breaks as line feeds.

    Tabs become spaces; every other control character (NUL among them), lone surrogate and invisible
    direction mark is dropped. They carry no meaning in a question, and refusing them would punish copy and paste.
    """
    lines = text.replace("\r\n", "\n").translate(_LINE_BREAKS).replace("\t", " ")
    kept = (char for char in lines if char == "\n" or (char not in _INVISIBLE and _is_printable(char)))
    return unicodedata.normalize("NFC", "".join(kept))


def has_words(text: str) -> bool:
    """Whether any letter or digit, of any script, stands in *text*."""
    return any(unicodedata.category(char)[0] in "LN" for char in text)


def _is_printable(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cs")
