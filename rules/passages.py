"""The text of a rule as it is embedded, and its hash: the contract between the load and the embedding."""

from __future__ import annotations

import hashlib


def embedded_text(section_title: str, heading: str, body: str) -> str:
    """What is embedded for a rule or subrule: "Keyword Abilities. Flying" on the first line, then *body*.

    heading: the rule's own, and for a subrule its parent's: 702.26b never says "phasing" itself (FIELD A9, D15). A
    rule that is only a heading starts its body with it; there it stands once.
    """
    title = ". ".join(filter(None, (section_title, heading)))
    rest = body.removeprefix(heading).lstrip("\n") if heading and body.split("\n", 1)[0] == heading else body
    return "\n".join(filter(None, (title, rest)))


def passage_hash(section_title: str, heading: str, body: str) -> str:
    """Rule.body_hash: sha256 of the embedded text in hex. Equal hashes share a vector, across editions too."""
    return hashlib.sha256(embedded_text(section_title, heading, body).encode()).hexdigest()
