"""Tells the operator's webhook about the spend cap: once a period, whichever process comes first."""

from __future__ import annotations

import logging
import threading
from enum import StrEnum

from calls.models import SpendAlert
from llm.prices import MICRODOLLARS

log = logging.getLogger(__name__)

SECONDS = 5.0  # for the webhook to answer


class Event(StrEnum):
    """What there is to tell."""

    NEAR = "spend_cap_near"
    REACHED = "spend_cap_reached"


_WORDS = {
    Event.NEAR: "The judge has spent four fifths of its spend cap of ${cap:,.2f} a {period}.",
    Event.REACHED: "The judge has reached its spend cap of ${cap:,.2f} a {period}; until there is room again it "
    "answers with quoted passages only.",
}


def tell_once(webhook: str, event: Event, period: str, since: str, cap: int) -> None:
    """Tells *webhook* of *event* unless it was told in the same period of the same cap (microdollars).

    since: what tells the period from others of its kind. Does not wait: an alert that does not get through is logged
    and not tried again. Raises DatabaseError, or RuntimeError where no thread can be started.
    """
    _, is_first = SpendAlert.objects.get_or_create(period=f"{event.value}:{period}:{since}:{cap}")
    if is_first:
        threading.Thread(target=_post, args=(webhook, said(event, period, since, cap))).start()


def said(event: Event, period: str, since: str, cap: int) -> dict[str, object]:
    """The body of an alert. The words stand where Slack's webhooks look for them and where Discord's do."""
    words = _WORDS[event].format(cap=cap / MICRODOLLARS, period=period)
    return {
        "event": event.value,
        "period": period,
        "since": since,
        "cap_usd": cap / MICRODOLLARS,
        "text": words,
        "content": words,
    }


def _post(webhook: str, body: dict[str, object]) -> None:
    """Sends *body*. The address is a secret, and errors may hold it, so only their kind is logged."""
    import httpx

    try:
        httpx.post(webhook, json=body, timeout=SECONDS).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        log.warning("the spend alert could not be delivered: %s", type(error).__name__)
