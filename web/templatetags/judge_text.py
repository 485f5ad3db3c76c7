"""Text of rules and answers with its rule numbers and citation marks linked."""

from __future__ import annotations

import re
from datetime import date

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from calls.addresses import rule_url
from judge.values import RULE_ID_IN_PROSE, RuleId

register = template.Library()

_MARK = re.compile(r"\s*\[(\d{1,2})\]")


@register.filter
def linked(text: str, edition: date | None) -> SafeString:
    """*text* escaped, each rule number in it a link to that rule of *edition*."""
    if edition is None:
        return escape(text)
    parts: list[SafeString] = []
    at = 0
    for match in RULE_ID_IN_PROSE.finditer(text):
        parts += [escape(text[at : match.start()]), _link(match.group(), edition)]
        at = match.end()
    parts.append(escape(text[at:]))
    return mark_safe("".join(parts))  # noqa: S308  # every part was escaped above


def _link(number: str, edition: date) -> SafeString:
    return format_html('<a href="{}">{}</a>', rule_url(RuleId(number), edition), number)


@register.filter
def marked(text: str, edition: date | None) -> SafeString:
    """*text* as `linked` has it, each mark "[1]" a raised link to that quote on the page."""
    pieces = _MARK.split(text)  # prose, number, prose, number, ...
    shown = [linked(piece, edition) if place % 2 == 0 else _mark(piece) for place, piece in enumerate(pieces)]
    return mark_safe("".join(shown))  # noqa: S308  # both kinds of piece are escaped


def _mark(number: str) -> SafeString:
    return format_html('<sup><a href="#quote-{}" aria-label="Quote {}">{}</a></sup>', number, number, number)
