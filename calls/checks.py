"""Django's system checks: a set-up of models that cannot be used, and, on request, what it still lacks.

The wiring is imported when they run, so that commands without checks start quickly.
"""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, Warning, register


@register("models_setup")
def usable_set_up(**_options: Any) -> list[CheckMessage]:
    """An error for every fault of judge.toml or the environment."""
    from calls.model_wiring import config
    from llm.config_faults import BadConfig

    try:
        config()
    except BadConfig as error:
        heading = str(error).partition("\n")[0].removesuffix(" cannot be used:")
        return [Error(f"{heading}: {fault}", id="calls.E001") for fault in error.faults]
    return []


@register("models_setup", deploy=True)
def whole_set_up(**_options: Any) -> list[CheckMessage]:
    """A warning for every key or package a stage lacks; `check --deploy` asks, as it is said at every start anyway."""
    from calls.model_wiring import config, missing
    from llm.config_faults import BadConfig

    try:
        return [Warning(line, id="calls.W001") for line in missing(config())]
    except BadConfig:
        return []  # the other check tells
