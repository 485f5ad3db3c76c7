"""The asker's picks for ambiguous spans, as they travel through the form."""

from __future__ import annotations

import json
from dataclasses import dataclass

from django.http import QueryDict

from judge.values import Pin


@dataclass(frozen=True, slots=True)
class Picks:
    """The picks of one question, in the order they were made."""

    pins: tuple[Pin, ...]

    @classmethod
    def of(cls, form: QueryDict) -> Picks:
        """The picks in a posted form; a value this page did not write is left out."""
        found = (decode_pick(value) for value in form.getlist("pick"))
        return cls(tuple(pin for pin in found if pin))

    @property
    def encoded(self) -> list[str]:
        """The values of the hidden fields that carry the picks on."""
        return [encode_pick(pin.span, pin.name) for pin in self.pins]


def encode_pick(span: str, name: str) -> str:
    """One pick as a form value."""
    return json.dumps([span, name], ensure_ascii=False)


def decode_pick(value: str) -> Pin | None:
    """The pick in a form value, or None."""
    try:
        match json.loads(value):
            case [str(span), str(name)]:
                return Pin(span, name)
    except (ValueError, RecursionError):
        pass
    return None
