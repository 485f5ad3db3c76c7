"""What can go wrong with a rules file. str() says what was wrong and what to do; nothing was changed.

RulesError
├── NotComprehensiveRules   the bytes are no complete Comprehensive Rules text
├── RulesNotFound           no rules file where one was looked for
└── RulesNotStored          the database could not take the edition; what was there before is whole
"""

from __future__ import annotations


class RulesError(Exception):
    """The root of what ingesting rules raises on purpose."""


class NotComprehensiveRules(RulesError):
    """The bytes are no complete Comprehensive Rules text: another document, truncated, empty or binary.

    problem: a sentence. file_name: "" where the bytes came without one.
    """

    def __init__(self, problem: str, file_name: str = "") -> None:
        super().__init__(
            f"{file_name or 'this'} is no complete Comprehensive Rules text: {problem} "
            "Get the .txt again from Wizards' rules page and load that; nothing was changed."
        )
        self.problem = problem


class RulesNotFound(RulesError):
    """No rules file where one was looked for."""


class RulesNotStored(RulesError):
    """The database could not take the edition; what was there before is whole."""
