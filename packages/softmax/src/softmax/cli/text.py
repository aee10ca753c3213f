"""Text on a terminal: its width in columns, lines that fit, characters that the encoding lacks, and numbers."""

from __future__ import annotations

import codecs
import os
import re
import unicodedata
from typing import TextIO

__all__ = ["columns", "decimal", "encodable", "one_line", "survive_encoding", "terminal_width", "words", "wrap"]

NARROWEST = 20
DEFAULT_WIDTH = 80
SIGNIFICANT = 3
TINY = 1e-6
ERRORS = "softmax.readable"
"""name of the error handler that spells a character which the encoding lacks"""

_ASCII = {
    "—": "-",
    "–": "-",
    "−": "-",
    "…": "...",
    "·": "-",
    "•": "*",
    "×": "x",
    "±": "+/-",
    "≥": ">=",
    "≤": "<=",
    "→": "->",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "├": "|",
    "└": "`",
    "│": "|",
    "─": "-",
    "█": "#",
    "✓": "x",
}


def columns(text: str) -> int:
    """Count columns on a terminal: wide letters and most symbols take two, combining and invisible marks none."""
    if text.isascii():
        return len(text)
    return sum(_columns(letter) for letter in text)


def one_line(text: str) -> str:
    """Replace line breaks and control characters, which could change the terminal, with spaces."""
    return text if text.isprintable() else "".join(c if c.isprintable() or _is_mark(c) else " " for c in text)


def wrap(text: str, width: int) -> list[str]:
    """Break a line at spaces into lines of at most `width` columns; a longer word is cut. Indentation is kept."""
    if columns(text) <= width:
        return [text]
    body = text.lstrip(" ")
    indent = " " * min(len(text) - len(body), max(width - 8, 0))
    room = width - len(indent)
    lines = [""]
    for word in words(body):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if columns(joined) <= room:
            lines[-1] = joined
            continue
        *full, last = _cut(word, room)
        lines += [*full, last]
    return [indent + line for line in lines if line]


def words(text: str) -> list[str]:
    """Split a text where a line may break: at spaces; in a text without letters, such as a time, only after commas."""
    if any(letter.isalpha() for letter in text):
        return text.split()
    return re.split(r"(?<=,) +", text.strip())


def terminal_width(stream: TextIO) -> int | None:
    """Return the columns of the terminal behind a stream (`COLUMNS` wins); None for a file or a pipe."""
    if not stream.isatty():
        return None
    width = os.environ.get("COLUMNS", "")
    try:
        found = int(width) if width.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        found = 0
    return max(found or DEFAULT_WIDTH, NARROWEST)


def encodable(text: str, stream: TextIO) -> str:
    """Return the text as the stream can encode it."""
    if text.isascii():
        return text
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, ERRORS).decode(encoding)


def survive_encoding(*streams: TextIO) -> None:
    """Let streams spell characters that their encoding lacks instead of raising an error."""
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=ERRORS)


def decimal(value: float) -> str:
    """Format a number with two decimals; a small one with three significant digits, so that it does not become 0."""
    if value == 0 or abs(value) >= 0.1 or value - value != 0:
        return f"{value + 0.0:.2f}"
    if abs(value) < TINY:
        return f"{value:.{SIGNIFICANT - 1}e}"
    digits = f"{value:.{SIGNIFICANT}g}"
    text = f"{float(digits):.9f}".rstrip("0")
    return text if len(text.partition(".")[2]) >= 2 else f"{float(digits):.2f}"


def _columns(letter: str) -> int:
    return 0 if _is_mark(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter) in ("Mn", "Me", "Cf")


def _cut(word: str, width: int) -> list[str]:
    """Cut a word into pieces of at most `width` columns."""
    pieces = [""]
    for letter in word:
        if pieces[-1] and columns(pieces[-1] + letter) > width:
            pieces.append("")
        pieces[-1] += letter
    return pieces


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_spelled, error.object[error.start : error.end])), error.end


def _spelled(letter: str) -> str:
    if letter in _ASCII:
        return _ASCII[letter]
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return plain or ("" if _is_mark(letter) else "?")


codecs.register_error(ERRORS, _spell)
