"""Serves the page and the API on this machine: what script/judge does without arguments."""

from __future__ import annotations

import logging
import os
import socket
from argparse import ArgumentParser
from threading import Thread
from typing import Any, override

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from calls.model_wiring import config, missing, space_problem, unpriced
from calls.setup import has_sample
from calls.wiring import corpus, warm_up
from judgesite import paths
from judgesite.background import children, progress_shown
from judgesite.preparing import prepare
from judgesite.running import announced
from judgesite.serving import address_of, listening_socket, serve
from llm.config_faults import CHAT_STAGES, BadConfig

_WARM_UP_SECONDS = 10.0  # it takes two or three


class Command(BaseCommand):
    help = "Loads the data, embeds the rules in the background and serves the page and the API."
    requires_system_checks: list[str] = []

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", default=os.environ.get("JUDGE_PORT", "8000"), help="default: JUDGE_PORT or 8000")
        parser.add_argument(
            "--bind", default=os.environ.get("JUDGE_BIND", "127.0.0.1"), help="default: JUDGE_BIND or 127.0.0.1"
        )

    @override
    def handle(self, *_args: Any, **options: Any) -> None:
        self._tell_models()
        with listening_socket(options["bind"], options["port"]) as listener:
            prepare()
            self._serve(listener)
        self.stderr.write("Stopped.")

    def _tell_models(self) -> None:
        """Says who answers, and what is missing, before the first question; a broken judge.toml stops here."""
        try:
            given = config()
        except BadConfig as error:
            raise CommandError(str(error), returncode=2) from None
        if given.asks_a_model:
            named = [f"{name}: {stage.model}" for name in CHAT_STAGES if (stage := given.stage(name)) is not None]
            cap = f"at most ${given.spend.cap:,.2f} a {given.spend.period}"
            self.stderr.write(f"Models ({given.source}): {', '.join(named) or 'embeddings only'}; {cap}.")
        for model in unpriced(given):
            self.stderr.write(f"Notice: no price of {model} is known, so it counts as the dearest known; see [prices].")
        for line in given.notices:
            self.stderr.write(f"Notice: {line}.")
        for line in missing(given):
            self.stderr.write(f"Missing for {line}.")

    def _serve(self, listener: socket.socket) -> None:
        with announced(listener), children(_background_work()), progress_shown():
            if has_sample():
                self.stderr.write("SAMPLE DATA: the cards and rules are made up, not Magic's.")
            if problem := space_problem(config()):
                self.stderr.write(f"Missing for embed: {problem}.")
            self.stdout.write(f"The judge is at {address_of(listener)}  (Ctrl-C stops it)")
            self.stdout.flush()
            warming = Thread(target=_warm_up, daemon=True)
            warming.start()
            serve(listener)
            warming.join(_WARM_UP_SECONDS)  # the database must not go from under its question


def _warm_up() -> None:
    """Makes the first question as quick as the second."""
    try:
        warm_up()
    except Exception:  # the question that comes will tell
        logging.getLogger(__name__).exception("warming up failed")
    finally:
        connection.close()


def _background_work() -> list[list[str]]:
    """The commands to run behind the server."""
    state = corpus().state()
    embed = [["embed_rules", "--wait"]] if state.embedded < state.to_embed else []
    return embed if paths.data_dir_problem() else [["load_rest", "--keep-trying"], *embed]
