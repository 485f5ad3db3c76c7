"""What door tests share: a judge that says what the test wants, and an edition to stand on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date

import pytest

from cards.models import Card, CardFace, Ruling
from judge.cancelling import Cancellation
from judge.folding import fold_name
from judge.questions import apply_pins
from judge.replies import Reply
from judge.stages import OnStage
from judge.values import Pin, Question
from rules.models import Edition, GlossaryTerm, Rule, Section
from tests.calls import replies


@dataclass
class ScriptedJudge:
    """Gives its replies in turn, the last one for ever, and remembers what it was asked."""

    replies: list[Reply | Exception]
    asked: list[tuple[Question, tuple[Pin, ...]]] = field(default_factory=list)

    def answer(
        self,
        question: Question,
        pins: Sequence[Pin] = (),
        on_stage: OnStage | None = None,
        cancel: Cancellation | None = None,
    ) -> Reply:
        """The next reply; pins are checked as the real judge does."""
        apply_pins(question.text, pins)
        self.asked.append((question, tuple(pins)))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply


Says = Callable[..., ScriptedJudge]


@pytest.fixture
def judge_says(monkeypatch: pytest.MonkeyPatch) -> Says:
    """Call it with replies: every door then asks a judge that gives them."""

    def says(*given: Reply | Exception) -> ScriptedJudge:
        scripted = ScriptedJudge(list(given))
        monkeypatch.setattr("calls.asking.judge", lambda: scripted)
        return scripted

    return says


@pytest.fixture
def edition(db: None) -> Edition:
    """An invented edition that is current, with the rule and the term the replies quote."""
    made = Edition.objects.create(effective=replies.EDITION, sha256="a" * 64, file_name="x.txt", is_current=True)
    fill(made)
    return made


def fill(made: Edition) -> None:
    """Section 113, rule 113.7 with its subrule, and a glossary term in *made*."""
    Section.objects.create(edition=made, number="113", title="Abilities")
    rule = Rule.objects.create(
        edition=made,
        number="113.7",
        section="113",
        position=0,
        text="Its source is <i>where</i> it came from.",
        body="",
    )
    Rule.objects.create(
        edition=made,
        number="113.7a",
        parent=rule,
        section="113",
        position=1,
        text="A triggered ability stays on the stack. See rule 113.7.",
        examples=["Example: The owl leaves, its trigger stays."],
        body="",
    )
    Rule.objects.create(edition=made, number="113.8", section="113", position=2, text="The next rule.", body="")
    GlossaryTerm.objects.create(edition=made, term="Source", folded="source", text="See rule 113.7.", position=0)


@pytest.fixture
def older(edition: Edition) -> Edition:
    """An edition before the current one."""
    made = Edition.objects.create(effective=date(2030, 1, 1), sha256="b" * 64, file_name="y.txt")
    fill(made)
    return made


@pytest.fixture
def owl(db: None) -> Card:
    """The card of the replies, with a ruling."""
    value = replies.OWL
    row = Card.objects.create(
        oracle_id=value.id,
        name=value.name,
        folded=fold_name(value.name),
        layout="normal",
        fingerprint="x",
        legalities={"vintage": "not_legal"},
    )
    for face in value.faces:
        CardFace.objects.create(
            card=row,
            index=face.index,
            name=face.name,
            folded=fold_name(face.name),
            mana_cost=face.mana_cost,
            type_line=face.type_line,
            oracle_text=face.oracle_text,
            power=face.power,
            toughness=face.toughness,
        )
    Ruling.objects.create(
        card=row, key=replies.RULING.key, published_at=replies.RULING.published_at, source="wotc", text=replies.RULED
    )
    return row
