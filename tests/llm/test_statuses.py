"""What a provider's status and headers mean."""

from __future__ import annotations

import pytest

from llm.statuses import retry_after

NOON = "Tue, 01 Dec 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "17"}, 17.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Tue, 01 Dec 2026 12:01:30 GMT", "date": NOON}, 90.0),
        ({"retry-after": "Tue, 01 Dec 2026 11:59:00 GMT", "date": NOON}, 0.0),
        ({"retry-after": "Tue, 01 Dec 2026 12:01:30 GMT"}, None),
        ({"retry-after": "soon", "date": NOON}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
        ({"date": NOON}, None),
        (None, None),
    ],
)
def test_the_pause_asked_for_is_seconds_or_a_date_and_never_nonsense(
    headers: dict[str, str] | None, seconds: float | None
) -> None:
    assert retry_after(headers) == seconds
