"""A provider's HTTP status as one of our errors, the same for every provider."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from math import isfinite

from judge.errors import ProviderError
from llm.errors import CredentialsRefused, Overloaded, RequestRefused, Unreachable

_NO_ROOM = frozenset({429, 503, 529})
_NO_ENTRY = frozenset({401, 402, 403})
_LONGEST = 300  # characters of a provider's message worth keeping


def error_of(
    provider: str, status: int, message: str, headers: Mapping[str, str] | None = None, secret: str | None = None
) -> ProviderError:
    """What status *status* of *provider* means. message: the provider's own; *secret* never stands in the error."""
    said = message.replace(secret, "***") if secret else message
    said = " ".join(said.split())[:_LONGEST]
    text = f"{provider} answered {status}: {said}" if said else f"{provider} answered {status}"
    if status in _NO_ROOM:
        return Overloaded(text, retry_after=retry_after(headers))
    if status in _NO_ENTRY:
        return CredentialsRefused(text)
    if status >= 500 or status in (408, 409, 425):
        return Unreachable(text, retry_after=retry_after(headers), may_be_billed=False)
    return RequestRefused(text)


def retry_after(headers: Mapping[str, str] | None) -> float | None:
    """Seconds the provider asks to wait (Retry-After, as seconds or as a date), None where it says nothing of sense.

    A date is held against the answer's own Date, so that no clock has to be right but the provider's.
    """
    given = headers or {}
    wanted = given.get("retry-after", "").strip()
    try:
        seconds = float(wanted)
    except ValueError:
        seconds = _between(given.get("date", ""), wanted)
    return max(0.0, seconds) if isfinite(seconds) else None


def _between(sent: str, wanted: str) -> float:
    """Seconds from one HTTP date to the other, NaN where one of them is none."""
    try:
        return parsedate_to_datetime(wanted).timestamp() - parsedate_to_datetime(sent).timestamp()
    except (ValueError, TypeError, OverflowError):
        return float("nan")
