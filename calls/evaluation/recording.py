"""`manage.py evaluate record`: keeps the extractions of runs as the recorded ones, with the prompt they came from."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from calls.evaluation.model_answers import RUNS
from calls.evaluation.recall import EVAL, Output
from eval.run_files import BadRun, read_run


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `evaluate record`."""
    parser.add_argument("names", nargs="+", help="the runs: eval/runs/NAME.jsonl")
    parser.add_argument("--out", type=Path, default=EVAL / "extractions.json", help="the file (%(default)s)")


def run(options: Mapping[str, Any], stdout: Output) -> int:
    """Writes the extraction of every question of the runs, in place of one that was recorded before."""
    file: Path = options["out"]
    entries = {entry["id"]: entry for entry in json.loads(file.read_text(encoding="utf-8"))} if file.exists() else {}
    recorded = 0
    for name in options["names"]:
        try:
            info, rows = read_run(RUNS / f"{name}.jsonl")
        except BadRun as error:
            raise CommandError(str(error)) from None
        origin = {"model": info.models.get("extract", ""), "prompt_sha256": info.prompts.get("extract", "")}
        for row in rows.values():
            if row.extraction is not None and origin["model"]:
                entries[row.id] = {"id": row.id, **row.extraction, **origin}
                recorded += 1
    file.write_text(json.dumps(list(entries.values()), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    stdout.write(f"{recorded} extractions recorded in {file}")
    return 0
