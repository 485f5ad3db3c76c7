"""`python -m judgesite ARGUMENTS` is what script/judge ends in."""

from __future__ import annotations

import sys

from judgesite.launcher import launch

sys.exit(launch(sys.argv[1:]))
