"""What a load of one kind of curated rows did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Changes:
    """How many rows of one kind a load touched. kept: unchanged, retired or a curator's own."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    kept: int = 0

    @property
    def any(self) -> bool:
        """Whether a row was written."""
        return bool(self.added or self.changed or self.removed)


NO_CHANGES = Changes()
