"""Gives the rules and the ways to ask about them their vectors, with progress; resumable, one run at a time."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, override

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from calls.model_wiring import config, configured_embedder, missing
from curation.asked_vectors import asked_vectors, embed_asked
from judge.errors import ProviderError
from judge.ports import Embedder
from judge.values import Space, Vector
from llm.config_faults import BadConfig
from llm.local import UnknownEmbedder
from rules import embedding
from rules.embedding import AlreadyEmbedding, Progress, SpaceMismatch
from rules.vector_cache import NO_VECTORS, BadVectorCache, cache_file, read_vectors, write_vectors

_WAIT_SECONDS = 2.0  # between two looks whether another run has finished
_LINE_EVERY = 160  # passages between two lines where there is no terminal


class Command(BaseCommand):
    help = "Embeds the rules and how players ask about them; goes on where an earlier run stopped."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--wait", action="store_true", help="let another run finish first instead of giving up")
        parser.add_argument("--switch", action="store_true", help="first empty vectors that another embedder made")
        parser.add_argument("--no-cache", action="store_true", help="compute even what data/vectors/ holds")
        parser.add_argument(
            "--write-cache", action="store_true", help="afterwards write the current edition's vectors to data/vectors/"
        )

    @override
    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            embedder = configured_embedder()
            if embedder is None:
                self._tell_why_not()
                return
            if options["switch"] and embedding.switch_space(embedder.space):
                self.stdout.write(f"Emptied the vectors; they are {embedder.space.model}'s from now on.")
            shipped = {} if options["no_cache"] else self._shipped(embedder.space)
            while True:
                try:
                    self._embed(embedder, shipped)
                    break
                except AlreadyEmbedding:
                    if not options["wait"]:
                        raise
                    time.sleep(_WAIT_SECONDS)
            if options["write_cache"]:
                self._write_cache(embedder.space)
        except (UnknownEmbedder, SpaceMismatch, AlreadyEmbedding) as error:
            raise CommandError(str(error)) from None
        except BadConfig as error:
            raise CommandError(str(error), returncode=2) from None
        except ProviderError as error:
            raise CommandError(f"{error}. What is embedded is kept; run it again to go on.") from None

    def _tell_why_not(self) -> None:
        """An embedder that is not wanted is fine; one that lacks its key is for the operator to put right."""
        lacks = [line for line in missing(config()) if line.startswith("embed:")]
        if lacks:
            raise CommandError(lacks[0])
        self.stdout.write("The embedder is none: nothing is embedded, the other legs answer.")

    def _embed(self, embedder: Embedder, shipped: Mapping[bytes, Vector]) -> None:
        """The rules first: with them alone search already works."""
        with self._progress("rules") as progress:
            report = embedding.embed_rules(embedder, progress, shipped)
        self.stdout.write(
            f"Embedded with {embedder.space.model}: {report.computed} computed, {report.cached} from data/vectors, "
            f"{report.copied} rules had a text that was known."
        )
        with self._progress("ways to ask") as progress:
            report = embed_asked(embedder, progress, shipped)
        self.stdout.write(f"Ways to ask: {report.computed} computed, {report.cached} from data/vectors.")

    def _shipped(self, space: Space) -> Mapping[bytes, Vector]:
        """The shipped vectors; a damaged file is reported and done without."""
        try:
            return read_vectors(cache_file(_folder(), space), space)
        except BadVectorCache as error:
            self.stderr.write(str(error))
            return NO_VECTORS

    def _write_cache(self, space: Space) -> None:
        file = cache_file(_folder(), space)
        try:
            count = write_vectors(file, chain(embedding.current_vectors(space), asked_vectors(space)))
        except OSError as error:
            raise CommandError(f"{file} could not be written: {error.strerror or error}") from None
        self.stdout.write(f"Wrote {count} vectors to {file}.")

    @contextmanager
    def _progress(self, what: str) -> Iterator[Progress]:
        """A bar on a terminal, a line now and then elsewhere. what: "rules"."""
        if not self.stdout.isatty():
            yield self._lines("passages" if what == "rules" else what)
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn(f"Embedding {what}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns) as bar:
            task = bar.add_task("embed", total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    def _lines(self, what: str) -> Progress:
        last = -_LINE_EVERY

        def report(done: int, total: int) -> None:
            nonlocal last
            if done - last >= _LINE_EVERY or (done == total != last and total):
                last = done
                self.stdout.write(f"Embedded {done} of {total} {what}.")

        return report


def _folder() -> Path:
    return Path(settings.BASE_DIR) / "data" / "vectors"
