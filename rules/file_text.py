"""From the bytes of a rules file to its lines, whatever encoding and line ends it was published with."""

from __future__ import annotations

import re

from rules.errors import NotComprehensiveRules

# 20260807 writes U+2028 where earlier files end a line; lone CR, CRLF and LF occur mixed within one file.
_LINE_ENDS = re.compile(r"\r\n|[\r\n\u2028\u2029]")
# The first two bytes of UTF-8's curly quotes and dashes; in cp1252 they would read "â€", which no text has.
_UTF8_PUNCTUATION = b"\xe2\x80"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def decode(data: bytes) -> str:
    """The text of *data*: UTF-8 with or without a byte order mark, else cp1252. Raises NotComprehensiveRules."""
    if not data.strip():
        raise NotComprehensiveRules("the file is empty.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as broken:
        text = _decode_cp1252(data, broken)
    if match := _CONTROL.search(text):
        raise NotComprehensiveRules(f"it holds binary data (byte value {ord(match.group())}).")
    return text


def _decode_cp1252(data: bytes, broken: UnicodeDecodeError) -> str:
    """*data* as cp1252, after UTF-8 failed with *broken*."""
    if broken.reason == "unexpected end of data":
        raise NotComprehensiveRules("it is cut off in the middle of a character.") from broken
    if _UTF8_PUNCTUATION in data:
        raise NotComprehensiveRules(f"it is UTF-8 text with a broken byte at position {broken.start}.") from broken
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise NotComprehensiveRules("it is neither UTF-8 nor cp1252 text.") from error


def split_lines(text: str) -> list[str]:
    """The lines of *text*, stripped. A no-break space counts as a space, so a line of one is blank."""
    return [line.strip() for line in _LINE_ENDS.split(text)]
