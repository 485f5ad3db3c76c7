#!/usr/bin/env python
"""Django's command line. script/judge runs this with the embedded database up."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "judgesite.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
