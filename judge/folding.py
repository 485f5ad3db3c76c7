"""Names folded for comparison: case, accents, ligatures and punctuation disappear.

The one fold of the project. Ingest stores its result beside every name (columns called `folded`) and queries
fold the asker's words with the same function, so the two can never differ by database or locale.
"""

from __future__ import annotations

import unicodedata

_LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ð": "d", "þ": "th", "ı": "i"})
# Dropped without leaving a gap: "Urza's" and "Urzas", "Mr. Orfeo" and "mr orfeo" are one name.
_SILENT = frozenset("'’‘`´ʼ.\"“”„!?®™")
# Kana voicing marks change the letter, so が must not fold to か.
_VOICING = frozenset("\u3099\u309a")

# What becomes of each ASCII character, so that most names are folded in one step.
_ASCII = {
    code: None if chr(code) in _SILENT else chr(code).lower() if chr(code).isalnum() else " " for code in range(128)
}


def fold_name(name: str) -> str:
    """*name* as it is compared: lower case, no accents, single spaces; "" when nothing is left.

    Apostrophes, quotes and periods vanish; every other punctuation mark and symbol becomes a space
    ("Fire // Ice" and "fire/ice" agree). Letters and digits of every script are kept.
    """
    if name.isascii():
        return " ".join(name.translate(_ASCII).split())
    decomposed = unicodedata.normalize("NFKD", name.casefold().translate(_LIGATURES))
    kept: list[str] = []
    for char in decomposed:
        if char in _SILENT:
            continue
        category = unicodedata.category(char)
        if category == "Mn" and char not in _VOICING:
            continue
        kept.append(char if category[0] in "LNM" or category == "Mn" else " ")
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))
