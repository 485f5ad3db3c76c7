"""Fixtures of the doors."""

from tests.calls.doors import edition, judge_says, older, owl

__all__ = ["edition", "judge_says", "older", "owl"]
