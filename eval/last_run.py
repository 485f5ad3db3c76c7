"""What the last run of a question set found on this machine, so that the next one can name the questions that moved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from eval.recall import Outcome, fraction_found, place_of

type Places = Mapping[str, str]
"""By question and rule ("hats 100.1b"): "shown at 3", "cut at 40" or "not retrieved"; places in the fused list."""


def last_run_file(home: Path, gold: Path, extractor: str) -> Path:
    """Where under *home* the last run of *gold* with *extractor* is kept."""
    digest = hashlib.sha256(str(gold.resolve()).encode()).hexdigest()[:8]
    return home / "recall" / f"{gold.stem}-{extractor}-{digest}.json"


def places(outcomes: Iterable[Outcome]) -> Places:
    """Where every expected rule of *outcomes* stands."""
    return {
        f"{outcome.question.id} {' or '.join(entry)}": _told(
            place_of(entry, outcome.retrieved), bool(fraction_found([entry], outcome.shown))
        )
        for outcome in outcomes
        for entry in outcome.question.expected
    }


def _told(place: int | None, is_shown: bool) -> str:
    if place is None:
        return "not retrieved"
    return f"{'shown' if is_shown else 'cut'} at {place}"


def moved(before: Places | None, now: Places) -> Iterator[str]:
    """A line for every rule of *now* that stands elsewhere than *before*, those shown or lost first, then a count."""
    if before is None:
        yield "No run to compare with yet: this one is kept."
        return
    changed = [(name, before[name], told) for name, told in now.items() if before.get(name, told) != told]
    changed.sort(key=lambda each: each[1].split()[0] == each[2].split()[0])
    for name, was, told in changed:
        yield f"{name}: {was}, now {told}"
    gained = sum(told.startswith("shown") and not was.startswith("shown") for _, was, told in changed)
    lost = sum(was.startswith("shown") and not told.startswith("shown") for _, was, told in changed)
    yield f"{len(changed)} of {len(now)} rules moved since the last run: {gained} more shown, {lost} no longer."


def read_run(file: Path) -> Places | None:
    """What *file* keeps; None where there is none, or none that can be read."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return {str(name): str(told) for name, told in kept.items()} if isinstance(kept, dict) else None


def write_run(file: Path, kept: Places) -> None:
    """Keeps *kept* in *file*, in a folder that may not be there yet. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
