"""Loads the invented rules of cr_text for tests of search and embedding, and an embedder readable by eye."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from judge.values import Space, Vector
from rules.load import Policy, load_edition
from rules.models import Edition
from rules.parser import parse_edition
from tests.rules.cr_text import BODY, cr_bytes

WORDS = ("hat", "life", "glow", "wall", "loyal", "two", "sit", "word")


class WordEmbedder:
    """A float a word of WORDS: 1 where the text has it, scaled to length 1; the rest of the width is zero.

    asked counts the passages embedded; fail_after makes it break like a process that is killed.
    """

    def __init__(self, width: int = 384, model: str = "words", fail_after: int | None = None) -> None:
        self.space = Space("test", model, width)
        self.asked = 0
        self.fail_after = fail_after

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        vectors = []
        for text in texts:
            if self.asked == self.fail_after:
                raise KeyboardInterrupt
            self.asked += 1
            vectors.append(self.query(text))
        return vectors

    def query(self, text: str) -> Vector:
        found = [float(word in text.lower()) for word in WORDS]
        length = sum(found) ** 0.5
        plain = [each / length for each in found] if length else [*[0.0] * len(WORDS)]
        return (*plain, *[0.0] * (self.space.width - len(WORDS)))


def load_invented(day: date = date(2026, 3, 5), policy: Policy = Policy.AUTO, body: str = BODY) -> Edition:
    """The invented edition of *day*, stored and indexed as the real ones are."""
    data = cr_bytes(effective=f"These rules are effective as of {day:%B} {day.day}, {day.year}.", body=body)
    return load_edition(parse_edition(data), data, f"MagicCompRules {day:%Y%m%d}.txt", policy).edition
