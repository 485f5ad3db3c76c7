"""How a talk goes on after a reply that could not be used."""

from __future__ import annotations

from dataclasses import replace

from judge.transcripts import Round
from llm.messages import Effort, Request, Response, Stop, TextBlock, ToolResult, Turn, UserTurn

NOT_OFFERED = "No tool was offered."


def can_be_replayed(response: Response) -> bool:
    """Whether the model's turn may stand in the next request.

    Not one that was cut off or refused, nor one without text: providers take no turn that is empty or ends in
    thinking, and a model that reads its own refusal refuses again.
    """
    return response.stop in (Stop.END, Stop.TOOL) and bool(response.text.strip() or response.tool_calls)


def told_why(turns: tuple[Turn, ...], response: Response, why: str) -> tuple[Turn, ...]:
    """*turns*, which *response* answered, going on with *why* it could not be used.

    Where the reply cannot be replayed, *why* joins the last thing we said, as if it had been said at once.
    """
    if can_be_replayed(response):
        unasked = tuple(ToolResult(call.id, NOT_OFFERED, failed=True) for call in response.tool_calls)
        return (*turns, response.turn, UserTurn((TextBlock(why),), unasked))
    *before, last = turns
    assert isinstance(last, UserTurn), "a request ends with a user turn"
    return (*before, replace(last, blocks=(*last.blocks, TextBlock(why))))


def round_of(asked: str, replied: str, response: Response) -> Round:
    """The round of a transcript in which *asked* got *response*, told as *replied*."""
    usage = response.usage
    read = usage.input + usage.cache_read + usage.cache_written
    return Round(asked, replied, response.stop.value, read, usage.output)


def effort_after(response: Response, request: Request) -> Effort:
    """The effort for the next try: low after a reply that ran out of room, as thinking takes from the same room."""
    return Effort.LOW if response.stop is Stop.LENGTH else request.effort
