"""Tables as text. On a terminal that is too narrow, cells wrap; if that is not enough, every row becomes a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from softmax.cli.text import columns, one_line, words, wrap

__all__ = ["table"]

GAP = "  "
SHORTEST_ID = 8
COMFORTABLE = 12
"""columns that a wrapped cell gets at least, if it needs them"""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    right: Sequence[int] = (),
    ids: Sequence[int] = (),
    width: int | None = None,
    spell: Callable[[str], str] = str,
) -> str:
    """Return aligned columns under a header line.

    `right` are the columns of numbers. With a `width`, the table fits in that many columns: first the UUIDs in the
    columns `ids`, which commands accept as prefixes, are shortened; then text wraps; then rows become records, one line
    per cell. `spell` replaces what the encoding of the stream lacks.
    """
    lines = [[spell(one_line(str(cell))) for cell in row] for row in (headers, *rows)]
    if width is None or _total(_natural(lines)) <= width:
        return _aligned(lines, _natural(lines), right)
    for column in ids:
        _shorten_ids(lines, column)
    fitted = _fitted(lines, right, width)
    return _records(lines, width) if fitted is None else _aligned(lines, fitted, right)


def _natural(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(columns(line[column]) for line in lines) for column in range(len(lines[0]))]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _fitted(lines: Sequence[Sequence[str]], right: Sequence[int], width: int) -> list[int] | None:
    """Narrow the widest columns of text until the table fits; None if it cannot."""
    natural = _natural(lines)
    least = [
        size if column in right else min(size, max(COMFORTABLE, *(_longest(line[column]) for line in lines)))
        for column, size in enumerate(natural)
    ]
    for limit in range(max(natural), 0, -1):
        widths = [max(low, min(size, limit)) for low, size in zip(least, natural, strict=True)]
        if _total(widths) <= width:
            return widths
    return None


def _longest(text: str) -> int:
    """Return the columns of the longest word, with the indentation of its line."""
    indent = len(text) - len(text.lstrip(" "))
    return max((indent + columns(word) for word in words(text)), default=0)


def _aligned(lines: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[int]) -> str:
    def cell(text: str, column: int) -> str:
        space = " " * (widths[column] - columns(text))
        return space + text if column in right else text + space

    printed = []
    for number, line in enumerate(lines):
        parts = [wrap(text, width) for text, width in zip(line, widths, strict=True)]
        for row in range(max(map(len, parts))):
            cells = [cell(part[row] if row < len(part) else "", column) for column, part in enumerate(parts)]
            printed.append(GAP.join(cells).rstrip())
        if number == 0:
            printed.append(GAP.join("-" * width for width in widths))
    return "\n".join(printed)


def _records(lines: Sequence[Sequence[str]], width: int) -> str:
    """Return one block of `header  value` lines per row."""
    headers, *rows = lines
    label = max(map(columns, headers))
    room = width - label - len(GAP)
    blocks = []
    for row in rows:
        block = []
        for header, text in zip(headers, row, strict=True):
            text = text.strip()
            if not text:
                continue
            space = " " * (label - columns(header) + len(GAP))
            if room >= _longest(text):
                first, *more = wrap(text, room)
                block += [f"{header}{space}{first}", *(f"{' ' * (label + len(GAP))}{line}" for line in more)]
            else:  # an id on a narrow terminal gets a line of its own
                block += [header, *(f"{GAP}{line}" for line in wrap(text, width - len(GAP)))]
        blocks.append("\n".join(block))
    return "\n\n".join(blocks)


def _shorten_ids(lines: list[list[str]], column: int) -> None:
    """Shorten the UUIDs of a column to the shortest prefixes of one length that tell them apart."""
    values = {line[column] for line in lines[1:]}
    if not values or not all(map(_UUID.fullmatch, values)):
        return
    length = next((n for n in range(SHORTEST_ID, 36) if len({value[:n] for value in values}) == len(values)), 36)
    for line in lines[1:]:
        line[column] = line[column][:length].rstrip("-")
