"""The synthesis stage: a verdict over a context, with at most one look-up of rules.

The one tool round is carried by types: Fresh offers the tool; Asked holds the calls and answers all of them; Final
has no way to offer a tool. A retry starts from a Final, so it cannot look anything up either.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from judge.cancelling import Cancellation
from judge.errors import ProviderError, VerdictRejected
from judge.mending import faults
from judge.ports import RuleLookup
from judge.raw import RawVerdict, decode_verdict, schema_of
from judge.rejections import Malformed, Rejection
from judge.transcripts import NO_REPLY, Round, Transcript
from judge.values import Context, Extraction, Question
from llm.backends import Chat
from llm.looking_up import called, look_up, lookup_tool
from llm.material import material, safe, wanted
from llm.messages import Effort, OutputSchema, Request, Response, Stop, SystemBlock, TextBlock, Turn, UserTurn
from llm.plain import without_markdown
from llm.prompting import digests, filled, prompt
from llm.replaying import effort_after, round_of, told_why
from llm.stages import StageOptions

PROMPTS = ("synthesize", "lookup_tool", "lookup", "retry")
SYNTH = StageOptions(max_tokens=16_000, timeout=180.0)
_OUTPUT = OutputSchema("verdict", schema_of(RawVerdict))


@dataclass(frozen=True, slots=True)
class ModelSynthesizer:
    """The Synthesizer of judge.ports that asks a model."""

    chat: Chat
    rules: RuleLookup
    options: StageOptions = SYNTH

    def draft(
        self, question: Question, extraction: Extraction, context: Context, cancel: Cancellation | None = None
    ) -> ModelDraft:
        """The model's first draft, after at most one look-up. Raises ProviderError or Cancelled."""
        step = Fresh(self._talk(question, extraction, context, cancel)).send()
        return step.answered(self.rules).send() if isinstance(step, Asked) else step

    def _talk(self, question: Question, extraction: Extraction, context: Context, cancel: Cancellation | None) -> Talk:
        return Talk(
            chat=self.chat,
            options=self.options,
            context=context,
            turns=(first_turn(question, extraction, context),),
            transcript=Transcript(model=self.chat.model, prompts=digests(*PROMPTS)),
            cancel=cancel,
        )


def first_turn(question: Question, extraction: Extraction, context: Context) -> UserTurn:
    """What a model reads first: the material, then what it is to answer.

    The material is not marked for a provider's cache: writing it there costs a quarter more, and too few questions
    have a second request that would read it back (D97).
    """
    told = material(context, f"{question.text}\n{extraction.question_en}")
    return UserTurn((TextBlock(told), TextBlock(wanted(question, extraction, context.history))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """All that was said so far; the last turn is ours. has_called: the tool round has been. effort: where it is not
    the options'.
    """

    chat: Chat
    options: StageOptions
    context: Context
    turns: tuple[Turn, ...]
    transcript: Transcript
    has_called: bool = False
    effort: Effort | None = None
    cancel: Cancellation | None = None

    def request(self, *, offers_tool: bool) -> Request:
        """The request that says the last turn. The tool's definition stays where a turn before has called it."""
        tool = lookup_tool()
        return Request(
            system=(SystemBlock(prompt("synthesize"), cached=True),),
            turns=self.turns,
            output=_OUTPUT,
            tools=(tool,) if offers_tool else (),
            tool_history=(tool,) if self.has_called and not offers_tool else (),
            effort=self.effort or self.options.effort,
            max_tokens=self.options.max_tokens,
            timeout=self.options.timeout,
            cancel=self.cancel,
        )

    def send(self, request: Request) -> Response:
        """The model's response to *request*. Raises Cancelled, or ProviderError with what was said until then."""
        try:
            return self.chat.send(request)
        except ProviderError as error:
            error.transcript = self.transcript.then(Round(_text_of(self.turns[-1]), "", NO_REPLY))
            raise

    def heard(self, response: Response) -> Talk:
        """This talk with what was said and replied in its transcript; the model's turn is not yet one of its turns."""
        said = round_of(_text_of(self.turns[-1]), _reply_of(response), response)
        return replace(self, transcript=self.transcript.then(said))


@dataclass(frozen=True, slots=True)
class Fresh:
    """Nothing was asked yet; the only state that offers the look-up."""

    talk: Talk

    def send(self) -> Asked | ModelDraft:
        """The model's draft, or the rules it wants to see first."""
        request = self.talk.request(offers_tool=True)
        response = self.talk.send(request)
        talk = self.talk.heard(response)
        if response.tool_calls and response.stop in (Stop.TOOL, Stop.END):
            return Asked(talk, response)
        return ModelDraft(talk, request, response)


@dataclass(frozen=True, slots=True)
class Asked:
    """The model called the tool, perhaps several times in one turn."""

    talk: Talk
    response: Response

    def answered(self, rules: RuleLookup) -> Final:
        """Every call answered from *rules*; what they brought may be cited from now on."""
        looked_up = look_up(self.response.tool_calls, rules, self.talk.context.rules)
        ids = {chunk.id for chunk in looked_up.found}
        kept = tuple(chunk for chunk in self.talk.context.rules if chunk.id not in ids)
        told = UserTurn((TextBlock(prompt("lookup")),), looked_up.results)
        return Final(
            replace(
                self.talk,
                turns=(*self.talk.turns, self.response.turn, told),
                context=replace(self.talk.context, rules=(*kept, *looked_up.found)),
                transcript=replace(self.talk.transcript, looked_up=tuple(chunk.id for chunk in looked_up.found)),
                has_called=True,
            )
        )


@dataclass(frozen=True, slots=True)
class Final:
    """The last word is the model's; no tool is offered and there is no method that could."""

    talk: Talk

    def send(self) -> ModelDraft:
        """The model's draft."""
        request = self.talk.request(offers_tool=False)
        response = self.talk.send(request)
        return ModelDraft(self.talk.heard(response), request, response)


@dataclass(frozen=True, slots=True)
class ModelDraft:
    """The Draft of judge.ports that a model wrote: its *response* to *request*."""

    talk: Talk
    request: Request
    response: Response

    @property
    def context(self) -> Context:
        """All it could cite, looked-up rules among them."""
        return self.talk.context

    @property
    def transcript(self) -> Transcript:
        """What was said."""
        return self.talk.transcript

    def raw(self) -> RawVerdict:
        """The verdict in it, its answer in plain prose. Raises VerdictRejected(Malformed)."""
        match self.response.stop:
            case Stop.REFUSAL:
                raise VerdictRejected(Malformed("the model would not answer"))
            case Stop.LENGTH:
                raise VerdictRejected(Malformed("the verdict was cut off before its end; it has to be shorter"))
        if self.response.tool_calls:
            raise VerdictRejected(Malformed("a tool was called where none was offered"))
        if not self.response.text.strip():
            raise VerdictRejected(Malformed("it is empty"))
        made = decode_verdict(self.response.text)
        return made.model_copy(update={"answer": without_markdown(made.answer)})

    def again(self, rejected: Rejection, cancel: Cancellation | None = None) -> ModelDraft:
        """The one retry, told everything that was wrong; no look-up in it. Raises ProviderError or Cancelled."""
        why = filled("retry", reasons=self._reasons(rejected))
        talk = replace(
            self.talk,
            turns=told_why(self.talk.turns, self.response, why),
            effort=effort_after(self.response, self.request),
            cancel=cancel or self.talk.cancel,
        )
        return Final(talk).send()

    def _reasons(self, rejected: Rejection) -> str:
        """*rejected* and whatever else is wrong, a line each."""
        try:
            found = faults(self.raw(), self.context)
        except VerdictRejected:
            found = ()
        first = () if any(str(rejected) in fault for fault in found) else (str(rejected),)
        return "\n".join(f"- {safe(' '.join(reason.split()))}" for reason in (*first, *found))


def _text_of(turn: Turn) -> str:
    if not isinstance(turn, UserTurn):
        return ""
    return "\n\n".join([*(result.text for result in turn.results), *(block.text for block in turn.blocks)])


def _reply_of(response: Response) -> str:
    """The reply's text and tool calls, as the operator reads them."""
    return "\n".join([*filter(None, [response.text]), *map(called, response.tool_calls)])
