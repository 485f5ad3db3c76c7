from typing import override

from django.apps import AppConfig


class CallsConfig(AppConfig):
    name = "calls"

    @override
    def ready(self) -> None:
        from calls import checks  # noqa: F401  # importing it registers the checks
