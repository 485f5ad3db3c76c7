"""Answers in plain prose, whatever a model writes out of habit."""

from __future__ import annotations

import pytest

from llm.plain import without_markdown


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("**Yes.** It dies [1].", "Yes. It dies [1]."),
        ("## Ruling\nIt __dies__ [1].", "Ruling\nIt dies [1]."),
        ("- It dies [1].\n  * It rests [2].\n• End.", "It dies [1].\nIt rests [2].\nEnd."),
        ("Pay `{2}{G}`, then ```tap```.", "Pay {2}{G}, then tap."),
        ("> It dies.", "It dies."),
    ],
)
def test_markdown_goes(written: str, plain: str) -> None:
    assert without_markdown(written) == plain


@pytest.mark.parametrize(
    "text",
    [
        "A */*+1 newt with a * for its power [1][2].",
        "It gets -1/-1, then +2/+0: 3 - 2 = 1.",
        "Loyalty -3 is paid.\n-3 is a cost.",
        "5 * 2 is 10 and 2 ** 3 is 8.",
        "#1 is first; snake__case stays.",
        "Power > 3 and power < 5.",
    ],
)
def test_what_is_no_markdown_stays(text: str) -> None:
    assert without_markdown(text) == text
