"""The prompts, each a Markdown file in prompts/, and the digests that tell which text a model was given.

A prompt is the contract between program and model, so tests/llm/prompts.sha256 pins each: a changed prompt fails the
tests until the answers are measured again (manage.py evaluate answers) and it is pinned again with

    python -m llm.prompting > tests/llm/prompts.sha256
"""

from __future__ import annotations

import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

from judge.transcripts import PromptDigest

FOLDER = Path(__file__).parent / "prompts"


@cache
def prompt(name: str) -> str:
    """The text of prompts/*name*.md without the line feed at its end."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8").rstrip("\n")


def filled(name: str, **values: str) -> str:
    """prompt(*name*) with each {{key}} replaced by its value, which is not looked at for further keys.

    Raises ValueError when the prompt and *values* do not name the same keys.
    """
    first, *rest = prompt(name).split("{{")
    parts = [first]
    used: set[str] = set()
    for piece in rest:
        key, closed, after = piece.partition("}}")
        if not closed or key not in values:
            raise ValueError(f"prompts/{name}.md asks for {{{{{key[:40]}}}}}")
        used.add(key)
        parts += [values[key], after]
    if unused := values.keys() - used:
        raise ValueError(f"prompts/{name}.md does not ask for {', '.join(sorted(unused))}")
    return "".join(parts)


def names() -> tuple[str, ...]:
    """Every prompt there is, sorted."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.md")))


def digest(name: str) -> PromptDigest:
    """Which text that prompt is."""
    return PromptDigest(name, sha256(prompt(name).encode()).hexdigest())


def digests(*of: str) -> tuple[PromptDigest, ...]:
    """digest() of each prompt named, in order."""
    return tuple(digest(name) for name in of)


def pins() -> str:
    """The digests of all prompts as tests/llm/prompts.sha256 holds them: name and digest, a line each."""
    return "".join(f"{each.name} {each.sha256}\n" for each in digests(*names()))


if __name__ == "__main__":
    sys.stdout.write(pins())
