"""The doors' part of the settings: who runs this judge, what one asker may have, the shape of the API."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from judgesite.problems import SetupError


def whole_number(name: str, default: int, least: int = 1, most: int = 1_000_000_000) -> int:
    """The environment's *name* as a number, or *default*. Raises SetupError naming the variable."""
    text = os.environ.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most):
        raise SetupError(f"{name} must be a whole number from {least} to {most}, not '{text[:40]}'")
    return int(text)


def trusted_origins(hosts: Sequence[str]) -> list[str]:
    """Django's CSRF_TRUSTED_ORIGINS for *hosts*: behind a proxy that speaks TLS the browser's Origin says https."""
    return [f"https://{'*' if host.startswith('.') else ''}{host}" for host in hosts if host != "*"]


REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["api.parsers.BoundedJSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "api.errors.JSONAlways",
    "EXCEPTION_HANDLER": "api.errors.one_shape",
}
