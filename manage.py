#!/usr/bin/env python
"""Django's command line for developers: starts the embedded database, and changes nothing by itself."""

from __future__ import annotations

import sys

from judgesite.launcher import manage

if __name__ == "__main__":
    sys.exit(manage(sys.argv[1:]))
