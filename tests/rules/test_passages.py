from __future__ import annotations

import pytest

from rules.passages import embedded_text, passage_hash


@pytest.mark.parametrize(
    ("title", "heading", "body", "text"),
    [
        pytest.param("Life", "", "Ten.", "Life\nTen.", id="sentence"),
        pytest.param("Words", "Glow", "Glow\n702.2a It glows.", "Words. Glow\n702.2a It glows.", id="heading-once"),
        pytest.param("Words", "Glow", "It glows.", "Words. Glow\nIt glows.", id="subrule-under-its-heading"),
        pytest.param("Words", "Glow", "Glowing is good.", "Words. Glow\nGlowing is good.", id="word-that-begins-alike"),
        pytest.param("", "", "Ten.", "Ten.", id="no-title"),
    ],
)
def test_what_is_embedded(title: str, heading: str, body: str, text: str) -> None:
    assert embedded_text(title, heading, body) == text


def test_hash_changes_with_every_part() -> None:
    hashes = {passage_hash(*parts) for parts in (("a", "b", "c"), ("x", "b", "c"), ("a", "x", "c"), ("a", "b", "x"))}
    assert len(hashes) == 4
    assert all(len(each) == 64 for each in hashes)
