"""A picture made of character cells.

A cell holds one code point, so that all terminals agree on its width: combining marks (variation selectors, joiners,
separate accents) are dropped. A wide character takes two cells, of which the second holds the empty string.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

__all__ = [
    "EMPTY",
    "PLAIN",
    "Canvas",
    "Cell",
    "Colour",
    "Style",
    "cells_of",
    "character_width",
    "clean",
    "fit",
    "text_width",
    "wrap",
]

Colour = tuple[int, int, int]
"""red, green, blue from 0 to 255"""


class Style(NamedTuple):
    """How a character looks; None is the terminal's own colour."""

    fore: Colour | None = None
    back: Colour | None = None
    bold: bool = False
    dim: bool = False
    reverse: bool = False
    underline: bool = False


class Cell(NamedTuple):
    text: str
    style: Style


PLAIN = Style()
EMPTY = Cell(" ", PLAIN)


@cache
def character_width(character: str) -> int:
    """Return the columns that a terminal uses for a code point: 0 if it is not drawn by itself."""
    if character < "\x7f":
        return 1 if character >= " " else 0
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Mn", "Me", "Zl", "Zp"):
        return 0
    if 0x1F1E6 <= ord(character) <= 0x1F1FF:  # regional indicators, which terminals handle differently
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clean(text: str) -> str:
    """Return the text without code points that cannot be drawn in cells; tabs and line ends become spaces."""
    if text.isascii() and text.isprintable():
        return text
    composed = unicodedata.normalize("NFC", text)
    return "".join(
        " " if character in "\t\n\r" else character
        for character in composed
        if character in "\t\n\r" or character_width(character)
    )


def text_width(text: str) -> int:
    """Return the width of a text in columns."""
    return len(text) if text.isascii() else sum(map(character_width, text))


def _head(text: str, width: int) -> str:
    """Return the longest prefix that fits."""
    for length, character in enumerate(text):
        width -= character_width(character)
        if width < 0:
            return text[:length]
    return text


def fit(text: str, width: int) -> str:
    """Cut a text to `width` columns, with an ellipsis where it was cut."""
    text = clean(text)
    if text_width(text) <= width:
        return text
    return _head(text, width - 1) + "~" if width > 0 else ""


def wrap(text: str, width: int) -> list[str]:
    """Wrap a text to lines of at most `width` columns (at least two), between words where possible."""
    width = max(width, 2)
    lines: list[str] = []
    for paragraph in text.splitlines():
        line = ""
        for word in clean(paragraph).split():
            while text_width(word) > width:
                head = _head(word, width)
                lines += [line, head] if line else [head]
                line, word = "", word[len(head) :]
            if line and text_width(line) + 1 + text_width(word) > width:
                lines.append(line)
                line = ""
            line = f"{line} {word}" if line else word
        lines.append(line)
    return lines


@lru_cache(4096)
def cells_of(text: str, style: Style) -> tuple[Cell, ...]:
    """Return the cells of a text, cached."""
    cells: list[Cell] = []
    for character in clean(text):
        cells += [Cell(character, style), Cell("", style)][: character_width(character)]
    return tuple(cells)


class Canvas:
    """Cells to draw on. Drawing outside is clipped, including halves of wide characters."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(width, 0), max(height, 0)
        self.rows: list[list[Cell]] = [[EMPTY] * self.width for _ in range(self.height)]

    def put(self, x: int, y: int, text: str, style: Style = PLAIN, *, width: int | None = None) -> int:
        """Write from a cell to the right, at most `width` columns; return the column after the text."""
        end = self.width if width is None else min(self.width, x + width)
        if not 0 <= y < self.height:
            return x
        row = self.rows[y]
        for character in clean(text):
            wide = character_width(character) == 2
            if x + wide >= end:
                if wide and 0 <= x < end:  # only half of it would fit
                    self._set(row, x, Cell(" ", style))
                    x += 1
                break
            if wide and x == -1:
                self._set(row, 0, Cell(" ", style))
            elif x >= 0:
                self._set(row, x, Cell(character, style))
                if wide:
                    self._set(row, x + 1, Cell("", style))
            x += 1 + wide
        return x

    def stamp(self, x: int, y: int, cells: tuple[Cell, ...]) -> None:
        """Copy whole characters (see `cells_of`) over whole characters inside the canvas: `put` without its checks."""
        self.rows[y][x : x + len(cells)] = cells

    def fill(self, x: int, y: int, width: int, height: int, style: Style = PLAIN) -> None:
        """Fill a rectangle with spaces."""
        left, columns = max(x, 0), min(x + width, self.width) - max(x, 0)
        for row in range(max(y, 0), min(y + height, self.height)):
            self.put(left, row, " " * columns, style)

    def lines(self) -> list[str]:
        """Return the text without styles and trailing spaces."""
        return ["".join(cell.text for cell in row).rstrip() for row in self.rows]

    @staticmethod
    def _set(row: list[Cell], x: int, cell: Cell) -> None:
        """Set a cell; a wide character that this cuts in half loses its other half."""
        before = row[x]
        if before.text == "" and x > 0 and cell.text != "":
            row[x - 1] = Cell(" ", row[x - 1].style)
        if before.text and character_width(before.text) == 2 and x + 1 < len(row):
            row[x + 1] = Cell(" ", row[x + 1].style)
        row[x] = cell
