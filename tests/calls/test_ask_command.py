"""The judge in the terminal."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from calls.presentation import reply_object
from calls.terminal import print_reply
from judge.replies import Reply
from judge.values import CorpusState, Pin
from tests.calls.doors import Says, judge_says
from tests.calls.replies import AMBIGUOUS, DOUBTED, EVERY_KIND, STATE, UNCITED, answered, doubted, noted

__all__ = ["judge_says"]
pytestmark = pytest.mark.django_db


class Terminal(io.StringIO):
    """A terminal to write to."""

    def isatty(self) -> bool:
        return True


def ask(*arguments: str) -> tuple[str, int]:
    """What the command prints, and its exit code."""
    out = io.StringIO()
    try:
        call_command("ask", *arguments, stdout=out)
    except SystemExit as end:
        return out.getvalue(), int(str(end.code))
    return out.getvalue(), 0


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("answer", 0),
        ("extractive", 0),
        ("error", 1),
        ("ambiguous", 3),
        ("not_found", 4),
        ("out_of_scope", 5),
        ("busy", 6),
        ("rate_limited", 6),
    ],
)
def test_json_is_the_object_of_the_api_and_the_exit_code_tells_the_kind(judge_says: Says, kind: str, code: int) -> None:
    judge_says(EVERY_KIND[kind])
    out, exit_code = ask("does owl look?", "--json")

    state = CorpusState(edition=None, loading=("the rules", "the cards"))
    assert json.loads(out) == reply_object(EVERY_KIND[kind], state)
    assert exit_code == code


def test_several_words_are_one_question(judge_says: Says) -> None:
    judge = judge_says(answered())
    ask("does", "owl", "look?", "--private", "--pin", "owl=Night Owl")

    ((question, pins),) = judge.asked
    assert (question.text, question.private, question.door) == ("does owl look?", True, "cli")
    assert pins == (Pin("owl", "Night Owl"),)


@pytest.mark.parametrize("question", ["", " ", "?!", "x" * 100_000])
def test_what_is_no_question_is_told_without_a_traceback(judge_says: Says, question: str) -> None:
    judge_says(answered())

    with pytest.raises(CommandError) as told:
        ask(question)
    assert told.value.returncode == 2
    assert "question" in str(told.value)


@pytest.mark.parametrize("pin", ["bob", "=Dark", "bob=", ""])
def test_a_pin_that_is_none_is_told(judge_says: Says, pin: str) -> None:
    judge_says(answered())

    with pytest.raises(CommandError, match="bob=Dark Confidant"):
        ask("does bob look?", "--pin", pin)


def test_a_dash_reads_standard_input_whatever_bytes_it_holds(judge_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = judge_says(answered())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"does owl look \xff\x00?\n")))
    ask("-")

    assert judge.asked[0][0].text == "does owl look \ufffd?"


def test_piped_output_is_plain_and_has_all_there_is_to_know(judge_says: Says) -> None:
    judge_says(answered())
    out, _ = ask("does owl look?")

    assert "\x1b" not in out
    assert "The trigger still resolves." in out
    assert "[1] 113.7a Abilities" in out
    assert "    A triggered ability stays on the stack without its source." in out
    assert "[2] Pellona, Lantern Owl, ruling of 2030-05-06" in out
    assert "Cards: Pellona, Lantern Owl (from “owl”)" in out
    assert "rules of 2031-02-03" in out


def test_doubtful_claims_are_never_silent(judge_says: Says) -> None:
    judge_says(doubted())
    out, _ = ask("does owl look?")

    assert f"Doubtful: “{DOUBTED}” is not clearly backed by its quote." in out
    assert f"Doubtful: “{UNCITED}” points at no source." in out
    assert "The question was read without a model." in out
    assert out.count("Doubtful") == 2


def test_a_long_quote_is_whole_in_a_pipe_and_on_a_narrow_terminal() -> None:
    reply = reply_object(answered(), STATE)
    reply["citations"][0]["quote"] = "word " * 60 + "end"
    piped, terminal = io.StringIO(), Terminal()
    print_reply(reply, piped)
    print_reply(reply, terminal)

    assert f"    {'word ' * 60}end\n" in piped.getvalue()
    assert terminal.getvalue().count("word") == 60
    assert "end" in terminal.getvalue()


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_is_coloured_on_a_terminal_and_keeps_the_askers_brackets(kind: str) -> None:
    out = Terminal()
    print_reply(reply_object(EVERY_KIND[kind], STATE), out)

    assert "\x1b[" in out.getvalue()


def test_an_extractive_answer_says_what_it_is(judge_says: Says) -> None:
    judge_says(EVERY_KIND["extractive"])
    out, _ = ask("does owl look?")

    assert "No model reasoned about this" in out
    assert "No language model is set up here." in out
    assert "Not found, answered without: Glimmerfrog" in out


def test_a_note_and_the_age_of_a_ruling_are_told(judge_says: Says) -> None:
    judge_says(noted())
    out, _ = ask("does owl look?")

    assert "Our note on Pellona, Lantern Owl, not a quote: It looks from beyond the grave." in out
    assert "Reworded since this ruling: 113.7a (2030-07-08)." in out


def test_an_open_name_without_a_person_says_how_to_pin_it(judge_says: Says) -> None:
    judge_says(AMBIGUOUS)
    out, _ = ask("does lantern look?")

    assert '--pin "lantern=Pellona, Lantern Owl"' in out


class Keyboard(io.StringIO):
    """A terminal to read from."""

    def isatty(self) -> bool:
        return True


def interactive(monkeypatch: pytest.MonkeyPatch, typed: str) -> str:
    out = Terminal()
    monkeypatch.setattr("sys.stdin", Keyboard(typed))
    try:
        call_command("ask", "does lantern look?", stdout=out)
    except SystemExit as end:
        return f"{out.getvalue()} exit {end.code}"
    return out.getvalue()


def test_a_person_at_the_terminal_picks_by_number(judge_says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = judge_says(AMBIGUOUS, answered())

    assert "The trigger still resolves." in interactive(monkeypatch, "2\n")
    assert judge.asked[1][1] == (Pin("lantern", "Lantern Moth"),)


@pytest.mark.parametrize("typed", ["\n", "9\n", "0\n", "no\n", "²\n", ""])
def test_a_person_may_leave_it_open(judge_says: Says, monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    judge_says(AMBIGUOUS)

    assert "exit 3" in interactive(monkeypatch, typed)


def test_a_reply_with_square_brackets_is_printed_as_it_is(judge_says: Says) -> None:
    replies: list[Any] = [EVERY_KIND["not_found"]]
    reply: Reply = replies[0]
    judge_says(reply)
    out, _ = ask("does glimmerfrog look?")

    assert "[[double brackets]]" in out
