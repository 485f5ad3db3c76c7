"""The set-up of models as the operator meets it: where it is read, what is said of it, what changing it does."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from calls import checks, model_wiring, wiring
from calls.adapters.failures import PostgresFailureStore
from calls.asking import Asked, ask
from calls.models import FailedCall, SpendDay
from judge.failures import Failure, FailureKind
from judge.replies import Extractive
from judge.values import Question
from judgesite.paths import CHECKOUT
from llm.config_faults import BadConfig
from rules.models import EmbeddingSpace, RuleVector
from tests import providers
from tests.providers import FakeProvider, Step, broken, said, status, vectors
from tests.rules.invented import load_invented

pytestmark = pytest.mark.django_db

QUESTION = "Does every player have a hat, and who can see a thing that glows?"
_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "VOYAGE_API_KEY", "JUDGE_EMBEDDER")


@pytest.fixture(autouse=True)
def _alone(settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A checkout and a JUDGE_HOME of the test's own, and nothing in the environment."""
    settings.JUDGE_EMBEDDER, settings.JUDGE_CONFIG = "none", ""
    settings.JUDGE_HOME, settings.BASE_DIR = tmp_path / "home", tmp_path / "checkout"
    for folder in (settings.JUDGE_HOME, settings.BASE_DIR):
        folder.mkdir()
    (settings.BASE_DIR / "data").symlink_to(CHECKOUT / "data")
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    load_invented()
    forget()
    yield
    forget()


def forget() -> None:
    for cached in (model_wiring.config, model_wiring.meter, wiring.judge, wiring.store, wiring.corpus):
        cached.cache_clear()


def set_up(text: str, folder: Any) -> Path:
    file = Path(folder) / "judge.toml"
    file.write_text(text, encoding="utf-8")
    forget()
    return file


def voyage(fake: FakeProvider, width: int = 8, model: str = "voyage-4") -> str:
    return (
        f'[providers.v]\nkind = "voyage"\nbase_url = "{fake.url}"\n'
        f'[stages.embed]\nprovider = "v"\nmodel = "{model}"\nwidth = {width}\n'
    )


def shown(*arguments: str) -> str:
    out = io.StringIO()
    call_command("config", *arguments, stdout=out)
    return out.getvalue()


SYNTH = '[providers.c]\nkind = "anthropic"\n[stages.synth]\nprovider = "c"\nmodel = "m"\n'


def test_the_file_is_found_in_the_checkout_in_judge_home_and_where_judge_config_says(
    settings: Any, tmp_path: Path
) -> None:
    assert model_wiring.config_file() is None
    home = set_up("", settings.JUDGE_HOME)
    assert model_wiring.config_file() == home
    home.unlink()
    checkout = set_up("", settings.BASE_DIR)
    assert model_wiring.config_file() == checkout
    settings.JUDGE_CONFIG = str(tmp_path / "elsewhere.toml")
    assert model_wiring.config_file() == tmp_path / "elsewhere.toml"
    with pytest.raises(CommandError, match="No such file") as caught:
        shown()
    assert caught.value.returncode == 2


def test_of_two_files_neither_goes_unread(settings: Any) -> None:
    for folder in (settings.JUDGE_HOME, settings.BASE_DIR):
        set_up("", folder)
    with pytest.raises(BadConfig, match="there are two"):
        model_wiring.config()


def test_the_set_up_says_what_is_the_default_and_what_a_price_rests_on(settings: Any) -> None:
    set_up(SYNTH + 'effort = "high"\nmax_tokens = 9000\n[spend]\ncap = 5\n', settings.BASE_DIR)
    told = shown()
    assert "synth: m at c, effort high, 9000 tokens, 180 s (default)" in told
    assert "spend cap: $5.00 a day (default period)" in told
    assert "price of m: $10 in, $50 out a million tokens (no price is known" in told
    assert "failed calls: the newest 500 of 30 days are kept (default)" in told
    assert "missing: synth: the API key is not set (environment variable ANTHROPIC_API_KEY)" in told


def test_the_set_up_as_json_holds_the_same_and_no_secret(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("HOOK", "https://hooks.example/secret")
    monkeypatch.setenv("VOYAGE_API_KEY", "pa-secret")
    set_up(SYNTH + '[spend]\nalert_webhook_env = "HOOK"\n[prices.m]\ninput = 1\n', settings.BASE_DIR)
    text = shown("--json")
    told = json.loads(text)
    assert "secret" not in text
    assert told["source"].endswith("judge.toml")
    assert told["stages"]["extract"] is None
    assert told["stages"]["synth"]["max_tokens"] == 16_000
    assert told["stages"]["synth"]["defaults"] == ["effort", "max_tokens", "timeout"]
    assert told["embed"] == {"provider": "local", "model": "none"}
    assert told["providers"]["c"]["key_is_set"] is True
    assert told["prices"] == {"m": {"input": 1.0, "output": 0.0, "source": "own"}}
    assert told["spend"]["alert_is_set"] is True
    assert told["missing"] == []
    assert [notice.partition(" ")[0] for notice in told["notices"]] == ["VOYAGE_API_KEY"]
    assert told["probes"] == []


@pytest.mark.parametrize(
    ("hook", "says"), [("", "variable HOOK is not set"), ("hooks.example", "variable HOOK holds no address")]
)
def test_an_alert_that_cannot_be_sent_is_missing(
    settings: Any, monkeypatch: pytest.MonkeyPatch, hook: str, says: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("HOOK", hook)
    set_up(SYNTH + '[spend]\nalert_webhook_env = "HOOK"\n', settings.BASE_DIR)
    (told,) = model_wiring.missing(model_wiring.config())
    assert told == f"alerts: the environment {says}; until then nobody is told when the cap is reached"


def test_a_probe_tells_of_a_stage_without_a_key_and_asks_nothing(settings: Any) -> None:
    set_up(SYNTH, settings.BASE_DIR)
    out = io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("config", probe=True, stdout=out)
    assert caught.value.code == 1
    assert "probe synth: m cannot be asked: the API key is not set" in out.getvalue()
    assert not SpendDay.objects.exists()


def test_a_probe_of_every_kind_goes_through_the_meter(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", "pa-secret")
    with providers.openai(said("ready")) as chat, providers.embeddings(vectors(8)) as vector:
        box = f'[providers.b]\nkind = "openai"\nbase_url = "{chat.url}"\n[stages.synth]\nprovider = "b"\nmodel = "m"\n'
        set_up(voyage(vector) + box, settings.BASE_DIR)
        told = json.loads(shown("--probe", "--json"))
    assert [(each["stage"], each["ok"]) for each in told["probes"]] == [("synth", True), ("embed", True)]
    assert told["probes"][1]["said"] == "gave 8 floats"
    assert {(row.stage, row.model) for row in SpendDay.objects.all()} == {("probe", "m"), ("embed", "voyage-4")}
    assert vector.headers[0]["authorization"] == "Bearer pa-secret"


def test_a_broken_set_up_fails_the_system_check_with_every_fault(settings: Any) -> None:
    file = set_up("[stages.sinth]\n[spend]\ncab = 1\n", settings.BASE_DIR)
    found = checks.usable_set_up()
    assert [each.msg.partition(": ")[0] for each in found] == [str(file)] * 2
    assert {each.id for each in found} == {"calls.E001"}
    assert checks.whole_set_up() == []
    set_up(SYNTH, settings.BASE_DIR)
    assert checks.usable_set_up() == []
    assert ["API key" in each.msg for each in checks.whole_set_up()] == [True]


def embedded(fake: FakeProvider, settings: Any, *arguments: str) -> str:
    out = io.StringIO()
    call_command("embed_rules", "--no-cache", *arguments, stdout=out)
    return out.getvalue()


def test_another_embedding_model_is_told_and_switched_on_demand_never_mixed(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", "pa-secret")
    with providers.embeddings(*[vectors(8)] * 3) as fake:
        set_up(voyage(fake), settings.BASE_DIR)
        embedded(fake, settings)
        assert "missing" not in shown()
        set_up(voyage(fake, width=16, model="voyage-5"), settings.BASE_DIR)
        fake.script[:] = [vectors(16)] * 9

        assert "missing: embed: the stored vectors were made by voyage/voyage-4 (8)" in shown()
        with pytest.raises(CommandError, match="--switch"):
            embedded(fake, settings)
        reply = ask(Asked(text=QUESTION, door="cli", asker=None))
        assert isinstance(reply, Extractive)
        assert reply.trace.legs_missing == ("vector: no vectors of voyage-5 yet",)

        assert "Emptied the vectors; they are voyage-5's" in embedded(fake, settings, "--switch")
    assert str(EmbeddingSpace.objects.get()) == "voyage/voyage-5 (16)"
    assert RuleVector.objects.count() == 9


@pytest.mark.parametrize("failure", [status(401), status(400), broken()], ids=["wrong key", "refused", "broken"])
def test_when_the_embedding_service_fails_the_other_legs_answer(
    settings: Any, monkeypatch: pytest.MonkeyPatch, failure: Step
) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", "pa-secret")
    with providers.embeddings(*[vectors(8)] * 3) as fake:
        set_up(voyage(fake), settings.BASE_DIR)
        embedded(fake, settings)
        fake.script[:] = [failure] * 30
        reply = ask(Asked(text=QUESTION, door="cli", asker=None))
    assert isinstance(reply, Extractive)
    assert reply.verdict.citations
    assert reply.trace.legs_missing[0].startswith("vector: ")


def test_with_the_cap_reached_the_other_legs_answer(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", "pa-secret")
    with providers.embeddings(*[vectors(8)] * 3) as fake:
        set_up(voyage(fake), settings.BASE_DIR)
        embedded(fake, settings)
        set_up(voyage(fake) + "[spend]\ncap = 0\n", settings.BASE_DIR)
        sent = len(fake.requests)
        reply = ask(Asked(text=QUESTION, door="cli", asker=None))
        assert len(fake.requests) == sent
    assert isinstance(reply, Extractive)
    assert reply.trace.legs_missing[0].startswith("vector: ")


def test_embedding_that_breaks_off_is_one_line_and_goes_on_where_it_was(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", "pa-secret")
    with providers.embeddings(status(401, "bad key")) as fake:
        set_up(voyage(fake), settings.BASE_DIR)
        with pytest.raises(CommandError, match=r"bad key.*run it again to go on"):
            embedded(fake, settings)
        fake.script[:] = [vectors(8)] * 3
        embedded(fake, settings)
    assert RuleVector.objects.count() == 9


def test_an_embedder_without_its_key_is_named_by_the_command(settings: Any) -> None:
    with providers.embeddings() as fake:
        set_up(voyage(fake), settings.BASE_DIR)
        with pytest.raises(CommandError, match=r"the API key is not set .environment variable VOYAGE_API_KEY"):
            embedded(fake, settings)
        assert isinstance(ask(Asked(text=QUESTION, door="cli", asker=None)), Extractive)
        assert fake.requests == []


@pytest.mark.parametrize(("newest", "days", "left"), [(2, 30, ["c", "now"]), (9, 1, ["now"]), (0, 30, [])])
def test_failed_attempts_are_kept_as_long_as_the_file_says(
    settings: Any, newest: int, days: int, left: list[str]
) -> None:
    set_up(f"[failed_calls]\nnewest = {newest}\ndays = {days}\n", settings.BASE_DIR)
    store = wiring.judge().failures
    assert store == PostgresFailureStore(newest=newest, age=timedelta(days=days))
    for name in "abc":
        FailedCall.objects.create(question=name, door="cli", kind="rejected", stage="synth")
    for row in FailedCall.objects.all():
        FailedCall.objects.filter(pk=row.pk).update(failed_at=row.failed_at - timedelta(days=2))
    assert store is not None
    store.keep(Question(text="now"), Failure(kind=FailureKind.PROVIDER, stage="synth", reasons=("down",)))
    assert sorted(FailedCall.objects.values_list("question", flat=True)) == left
