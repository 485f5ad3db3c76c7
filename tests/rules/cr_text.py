"""A small rules text in the official layout, invented; tests change one thing in it."""

from __future__ import annotations

EFFECTIVE = "These rules are effective as of March 5, 2026."

CONTENTS = """\
1. Game Concepts
100. General
119. Life

6. Spells
600. General
606. Loyalty

7. Additional Rules
702. Keyword Abilities
"""

BODY = """\
1. Game Concepts

100. General

100.1. The game is for two players.

100.1a Each player sits.
Example: Ana sits on a chair.
Example: Ben sits on a bench.

100.1b Each player has a hat. See rule 702.2.

119. Life

119.1. Players start with ten life.

6. Spells

600. General

606. Loyalty

606.1. Loyal things stay.

7. Additional Rules

702. Keyword Abilities

702.1. Some words stand for a rule.

702.2. Glowing

702.2a Glowing is a static ability.

702.2b A thing that glows can be seen through walls.
"""

GLOSSARY = """\
Hat
What each player has. See rule 100.1b.

Life, Life Total
1. What a player has.
2. What a player loses.
See rule 119, “Life.”

Old Hat (Obsolete)
Once said for hat.
"""

CREDITS = """\
Written for the tests.

With no help.
"""


def cr_text(
    *,
    body: str = BODY,
    glossary: str = GLOSSARY,
    contents: str = CONTENTS,
    credit_lines: str = CREDITS,
    effective: str = EFFECTIVE,
    title: str = "Invented Comprehensive Rules",
) -> str:
    """The whole text with LF line ends."""
    return (
        f"{title}\n\n{effective}\n\nIntroduction\n\nThis is made up.\n\nContents\n\n{contents}\nGlossary\n\nCredits\n\n"
        f"{body}\nGlossary\n\n{glossary}\nCredits\n\n{credit_lines}"
    )


def cr_bytes(**parts: str) -> bytes:
    """The same as UTF-8 bytes."""
    return cr_text(**parts).encode()
