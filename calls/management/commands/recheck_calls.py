"""`manage.py recheck_calls`: retires stored calls that no longer hold, and brings back those that do again."""

from __future__ import annotations

from typing import Any, override

from django.core.management.base import BaseCommand

from calls.rechecking import recheck_calls


class Command(BaseCommand):
    help = "Checks every stored call against today's rules, rulings and card texts; safe to repeat."

    @override
    def handle(self, **options: Any) -> None:
        report = recheck_calls()
        self.stdout.write(
            f"{report.checked:,} calls checked: {report.retired:,} retired, {report.restored:,} restored, "
            f"{report.renumbered:,} moved to new rule numbers."
        )
