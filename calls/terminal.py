"""A reply for a terminal: coloured and wrapped on one, plain lines when piped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from calls.presentation import CardLink, CitationObject, ReplyObject

_WIDEST = 100  # columns; longer lines are hard to read


class Output(Protocol):
    """Where the reply goes."""

    def write(self, text: str, /) -> object:
        """Writes *text*."""
        ...

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        ...


def print_reply(reply: ReplyObject, out: Output) -> None:
    """Prints *reply*, the ruling first, then the quotes it stands on."""
    from rich.console import Console

    tty = out.isatty()
    console = Console(file=_Raw(out), force_terminal=tty, highlight=False, soft_wrap=not tty)  # type: ignore[arg-type]  # a file for rich is write and flush
    if tty:
        console.width = min(console.width, _WIDEST)
    for line in reply["notices"]:
        console.print(line, style="yellow", markup=False)
    if "answer" in reply:
        _print_answer(reply, console)
    else:
        _print_other(reply, console)


class _Raw:
    """Django's wrapper ends every write with a line feed; rich writes its own."""

    def __init__(self, out: Output) -> None:
        self._out: Any = getattr(out, "_out", out)

    def write(self, text: str) -> int:
        self._out.write(text)
        return len(text)

    def flush(self) -> None:
        self._out.flush()


def _print_answer(reply: ReplyObject, console: Console) -> None:
    if reply["kind"] == "extractive":
        console.print(reply["answer"].partition("\n\n")[0], style="bold", markup=False)
        console.print(reply.get("reason", ""), style="dim", markup=False)
    else:
        console.print(reply["answer"], style="bold", markup=False)
    if reply["kind"] == "extractive":
        for note in reply.get("notes", ()):
            console.print(f"\nOur note on {note['card']}, not a quote: {note['text']}", markup=False)
    for number, citation in enumerate(reply["citations"], start=1):
        console.print()
        console.print(_heading(number, citation))
        console.print(_indented(citation["quote"], wrap=console.is_terminal))
        if caution := citation.get("caution"):
            console.print(_indented(caution, wrap=console.is_terminal), style="yellow")
    for doubt in reply.get("doubtful", ()):
        why = "points at no source" if doubt["support"] == "uncited" else "is not clearly backed by its quote"
        console.print(f"Doubtful: “{doubt['text']}” {why}.", style="yellow", markup=False)
    console.print()
    for remark in reply.get("remarks", ()):
        console.print(remark, style="yellow", markup=False)
    if cards := [_card(card) for card in reply["cards"]]:
        console.print(f"Cards: {', '.join(cards)}", style="dim", markup=False)
    if unknown := reply.get("not_found"):
        console.print(f"Not found, answered without: {', '.join(unknown)}", style="yellow", markup=False)
    read = reply["read"]
    line = f"Read {read['rules']} rules and {read['rulings']} rulings; rules of {reply['edition']}."
    console.print(line, style="dim", markup=False)


def _heading(number: int, citation: CitationObject) -> Text:
    from rich.text import Text

    return Text.assemble((f"[{number}] ", "dim"), (citation["label"], "cyan bold"))


def _indented(quote: str, *, wrap: bool) -> Padding | Text:
    """*quote* set in; wrapped under itself on a terminal, left in its own lines for whatever reads a pipe."""
    from rich.padding import Padding
    from rich.text import Text

    return Padding(Text(quote), (0, 0, 0, 4)) if wrap else Text("\n".join(f"    {line}" for line in quote.split("\n")))


def _card(card: CardLink) -> str:
    span = card.get("span", "")
    return f"{card['name']} (from “{span}”)" if span and span.lower() != card["name"].lower() else card["name"]


def _print_other(reply: ReplyObject, console: Console) -> None:
    console.print(reply["message"], style="bold", markup=False)
    for span in reply.get("spans", ()):
        for candidate in span["candidates"]:
            console.print(f"  “{span['span']}”: {candidate['name']}", markup=False)
    if any(span["candidates"] for span in reply.get("spans", ())):
        first = next(span for span in reply["spans"] if span["candidates"])
        pin = f'--pin "{first["span"]}={first["candidates"][0]["name"]}"'
        console.print(f"Ask again with, for example, {pin}", style="dim", markup=False)
    for pointer in reply.get("pointers", ()):
        console.print(f"  {pointer['label']}: {pointer['url']}", markup=False)
