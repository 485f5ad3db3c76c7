"""Vectors that ship with the project, so that a first run on a known edition embeds in seconds.

A file a model under data/vectors/, figures only, no text: each vector stands under the first half of
sha256(model, text), so it serves whichever edition holds that very text and no other. Made by
`manage.py embed_rules --write-cache`.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from zipfile import BadZipFile

import numpy as np

from judge.values import Space, Vector

_KEY_BYTES = 16  # of the sha256; two of 10^4 texts meet with probability 10^-31
NO_VECTORS: Mapping[bytes, Vector] = MappingProxyType({})


class BadVectorCache(ValueError):
    """A cache file is damaged or of another width; the message names it. Embedding goes on without it."""


def cache_file(folder: Path, space: Space) -> Path:
    """Where the vectors of *space* ship: data/vectors/<model>.npz."""
    return folder / f"{space.model}.npz"


def key_of(space: Space, text: str) -> bytes:
    """The key of *text* embedded in *space*."""
    return hashlib.sha256(f"{space.provider}/{space.model}\n{text}".encode()).digest()[:_KEY_BYTES]


def read_vectors(file: Path, space: Space) -> Mapping[bytes, Vector]:
    """The vectors of *file* by key, length 1 again after their trip through float16; none when there is no file.

    Raises BadVectorCache.
    """
    if not file.exists():
        return NO_VECTORS
    try:
        with np.load(file, allow_pickle=False) as stored:
            keys, vectors = stored["keys"], stored["vectors"].astype(np.float32)
    except (OSError, ValueError, KeyError, EOFError, TypeError, BadZipFile) as error:
        raise BadVectorCache(
            f"{file} is no vector cache ({error}); make it again with embed_rules --write-cache"
        ) from None
    if keys.shape != (len(keys), _KEY_BYTES) or vectors.shape != (len(keys), space.width):
        raise BadVectorCache(f"{file} holds vectors of shape {vectors.shape}, not {space.width} floats each")
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return {key.tobytes(): tuple(row.tolist()) for key, row in zip(keys, vectors, strict=True)}


def write_vectors(file: Path, vectors: Iterable[tuple[bytes, Vector]]) -> int:
    """Writes *vectors* to *file*, sorted by key so that equal content is an equal file, and gives their number.

    The file appears whole or not at all.
    """
    ordered = sorted(dict(vectors).items())
    buffer = io.BytesIO()
    np.savez(
        buffer,
        keys=np.frombuffer(b"".join(key for key, _ in ordered), dtype=np.uint8).reshape(-1, _KEY_BYTES),
        vectors=np.array([vector for _, vector in ordered], dtype=np.float16),
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial")
    partial.write_bytes(buffer.getvalue())
    partial.replace(file)
    return len(ordered)
