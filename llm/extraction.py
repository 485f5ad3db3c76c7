"""The extraction stage: one cheap structured call, decoded and checked by code, asked once more when malformed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from judge.cancelling import Cancellation
from judge.errors import ProviderError, VerdictRejected
from judge.raw import RawExtraction, decode_extraction, extraction_of, schema_of
from judge.rejections import Malformed
from judge.transcripts import NO_REPLY, Round, Transcript
from judge.values import CategoryKey, Extraction, Question
from llm.backends import Chat
from llm.material import asked, safe
from llm.messages import OutputSchema, Request, Response, Stop, SystemBlock, TextBlock, UserTurn
from llm.prompting import digests, filled, prompt
from llm.replaying import effort_after, round_of, told_why
from llm.stages import StageOptions

PROMPTS = ("extract", "extract_retry")  # what a recording of extractions carries the digests of


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """The Extractor of judge.ports that asks a model. categories: key to what it is about, as they are right now."""

    chat: Chat
    categories: Callable[[], Mapping[CategoryKey, str]]
    options: StageOptions = field(default_factory=StageOptions)

    def extract(self, question: Question, cancel: Cancellation | None = None) -> Extraction:
        """What *question* is about.

        Raises ProviderError, VerdictRejected(Malformed) after a second try, or Cancelled.
        """
        known = self.categories()
        heard = _Heard(self.chat)
        try:
            request = extraction_request(question, known, self.options, cancel)
            response = heard.send(request)
            try:
                return extraction_of(_decoded(response), question, known)
            except VerdictRejected as refusal:
                again = _again(request, response, str(refusal))
            return extraction_of(_decoded(heard.send(again)), question, known)
        except (ProviderError, VerdictRejected) as error:
            error.transcript = heard.transcript()
            raise


@dataclass(slots=True)
class _Heard:
    """A model, and what was said to it and what it said."""

    chat: Chat
    rounds: list[Round] = field(default_factory=list)

    def send(self, request: Request) -> Response:
        """As Chat.send()."""
        last = request.turns[-1]
        asked_now = "\n\n".join(block.text for block in last.blocks) if isinstance(last, UserTurn) else ""
        try:
            response = self.chat.send(request)
        except ProviderError:
            self.rounds.append(Round(asked_now, "", NO_REPLY))
            raise
        self.rounds.append(round_of(asked_now, response.text, response))
        return response

    def transcript(self) -> Transcript:
        return Transcript(model=self.chat.model, prompts=digests(*PROMPTS), rounds=tuple(self.rounds))


def extraction_request(
    question: Question,
    categories: Mapping[CategoryKey, str],
    options: StageOptions,
    cancel: Cancellation | None = None,
) -> Request:
    """What is asked about *question*. The system prompt and the categories come again with every question."""
    listed = "\n".join(f"{key}: {safe(' '.join(about.split()))}" for key, about in categories.items())
    turn = UserTurn(
        (
            TextBlock(f"<categories>\n{listed}\n</categories>", cached=True),
            TextBlock(asked(question, question.history)),
        )
    )
    return Request(
        system=(SystemBlock(prompt("extract"), cached=True),),
        turns=(turn,),
        output=_output(categories),
        effort=options.effort,
        max_tokens=options.max_tokens,
        timeout=options.timeout,
        cancel=cancel,
    )


def _output(categories: Iterable[CategoryKey]) -> OutputSchema:
    """The schema of a form; where a provider holds replies to it, only *categories* can be chosen."""
    schema = schema_of(RawExtraction)
    if keys := sorted(categories):
        one: dict[str, Any] = {"type": "string", "enum": keys}
        schema["properties"] |= {"primary": one, "secondary": {"type": "array", "items": one}}
    return OutputSchema("extraction", schema)


def _again(request: Request, response: Response, reason: str) -> Request:
    why = filled("extract_retry", reason=safe(reason))
    return replace(request, turns=told_why(request.turns, response, why), effort=effort_after(response, request))


def _decoded(response: Response) -> RawExtraction:
    if response.stop is Stop.REFUSAL:
        raise VerdictRejected(Malformed("the model would not read the question"))
    if response.stop is Stop.LENGTH:
        raise VerdictRejected(Malformed("the form was cut off before its end; it has to be shorter"))
    return decode_extraction(response.text)
