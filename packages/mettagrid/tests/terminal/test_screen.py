"""Cells, and what is written so that a terminal shows them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mettagrid.config.vibes import VIBES
from mettagrid.terminal.cells import PLAIN, Canvas, Style, clean, fit, text_width, wrap
from mettagrid.terminal.colours import Depth, colour_depth, sgr, speaks_unicode
from mettagrid.terminal.screen import Screen
from mettagrid.terminal.symbols import two_columns

WIDTH, HEIGHT = 9, 3
STYLES = [PLAIN, Style(bold=True), Style(fore=(200, 10, 10)), Style(back=(0, 0, 90), reverse=True)]
# Terminals do not agree about the width of some, among them the last ones.
TEXTS = st.text("ab ·█🚀⭐日⛏❤", max_size=WIDTH + 3)
WRITES = st.lists(
    st.tuples(st.integers(-3, WIDTH + 1), st.integers(-1, HEIGHT), TEXTS, st.sampled_from(STYLES)), max_size=8
)


def drawn(writes: list[tuple[int, int, str, Style]]) -> Canvas:
    canvas = Canvas(WIDTH, HEIGHT)
    for x, y, text, style in writes:
        canvas.put(x, y, text, style)
    return canvas


class Emulator:
    """A terminal that knows what `Screen` uses; it takes `doubtful` characters for wider or narrower than they are."""

    def __init__(self, doubtful: int) -> None:
        self.cells = [[(" ", sgr(PLAIN, Depth.ALL))] * WIDTH for _ in range(HEIGHT)]
        self._doubtful = doubtful
        self._x = self._y = 0
        self._style = sgr(PLAIN, Depth.ALL)

    def write(self, text: str) -> None:
        for found in re.finditer(r"\x1b\[(\d+);(\d+)H|(\x1b\[2J)|(\x1b\[[\d;]*m)|\x1b\[\?2026[hl]|([^\x1b])", text):
            if found[1]:
                self._y, self._x = int(found[1]) - 1, int(found[2]) - 1
            elif found[3]:
                self.cells = [[(" ", self._style)] * WIDTH for _ in range(HEIGHT)]
            elif found[4]:
                self._style = found[4]
            elif found[5]:
                self._put(found[5])

    def _put(self, character: str) -> None:
        row, width = self.cells[self._y], text_width(character)
        if row[self._x][0] == "" and self._x > 0:
            row[self._x - 1] = (" ", row[self._x - 1][1])
        for x in range(self._x, min(self._x + width, WIDTH)):
            if text_width(row[x][0]) == 2 and x + 1 < WIDTH:
                row[x + 1] = (" ", row[x + 1][1])
            row[x] = (character if x == self._x else "", self._style)
        moved = self._doubtful if ord(character) > 0x2600 else width
        self._x = min(self._x + moved, WIDTH - 1)


@settings(deadline=None)
@given(pictures=st.lists(WRITES, min_size=1, max_size=4), doubtful=st.sampled_from([1, 2]))
def test_what_is_written_turns_the_old_picture_into_the_new_one(
    pictures: list[list[tuple[int, int, str, Style]]], doubtful: int
) -> None:
    screen, terminal = Screen(Depth.ALL), Emulator(doubtful)
    for writes in pictures:
        canvas = drawn(writes)
        terminal.write(screen.update(canvas))
        assert terminal.cells == [[(cell.text, sgr(cell.style, Depth.ALL)) for cell in row] for row in canvas.rows]
        assert screen.update(drawn(writes)) == ""  # nothing is written twice


@settings(deadline=None)
@given(WRITES)
def test_a_canvas_never_holds_half_a_character(writes: list[tuple[int, int, str, Style]]) -> None:
    for row in drawn(writes).rows:
        assert len(row) == WIDTH
        for x, cell in enumerate(row):
            if text_width(cell.text) == 2:
                assert row[x + 1].text == ""
            if cell.text == "":
                assert x > 0 and text_width(row[x - 1].text) == 2


def test_only_what_differs_is_written() -> None:
    screen = Screen(Depth.ALL)
    canvas = Canvas(80, 24)
    canvas.put(0, 0, "a long line that stays as it is")
    screen.update(canvas)
    other = Canvas(80, 24)
    other.put(0, 0, "a long line that stays as it was")
    written = screen.update(other)
    assert "stays" not in written
    assert "was"[1:] in written.replace("\x1b[0m", "")
    other = Canvas(40, 10)
    assert "\x1b[2J" in screen.update(other)


@settings(deadline=None)
@given(st.text(max_size=30), st.integers(0, 20))
def test_any_text_fits_where_it_is_put(text: str, width: int) -> None:
    assert text_width(fit(text, width)) <= width
    assert all(text_width(line) <= max(width, 2) for line in wrap(text, max(width, 2)))
    assert clean(clean(text)) == clean(text)
    assert not any(one in clean(text) for one in "\x1b\n\r\t\x07\x9b")


@pytest.mark.parametrize("vibe", VIBES, ids=lambda vibe: vibe.name)
def test_every_symbol_takes_two_columns(vibe: object) -> None:
    assert text_width(two_columns(vibe.symbol)) == 2  # type: ignore[attr-defined]


def test_symbols_lose_what_terminals_disagree_about() -> None:
    assert two_columns("⛏️") == "⛏ "
    assert two_columns("🚀") == "🚀"
    assert two_columns("👨‍👩‍👧") == "👨"
    assert two_columns("") == "? "


@pytest.mark.parametrize(
    ("environment", "depth"),
    [
        ({"TERM": "xterm-256color"}, Depth.MANY),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, Depth.ALL),
        ({"TERM": "xterm"}, Depth.SIXTEEN),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, Depth.NONE),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, Depth.MANY),
        ({"TERM": "vt100"}, Depth.NONE),
    ],
)
def test_the_environment_says_how_many_colours_there_are(environment: dict[str, str], depth: Depth) -> None:
    assert colour_depth(environment) == depth


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LANG": "en_US.UTF-8"}, True),
        ({"LANG": "de_DE.ISO-8859-1"}, False),
        ({"LC_ALL": "C", "LANG": "en_US.UTF-8"}, False),
        ({"LC_CTYPE": "C.UTF-8", "LANG": "C"}, False),  # as Python leaves it
        ({}, True),
        ({"TERM": "linux", "LANG": "en_US.UTF-8"}, False),
    ],
)
def test_the_locale_says_whether_there_is_unicode(environment: dict[str, str], expected: bool) -> None:
    assert speaks_unicode(environment) is expected


def test_colours_are_the_nearest_ones_there_are() -> None:
    style = Style(fore=(255, 0, 0), back=(118, 118, 118))
    assert sgr(style, Depth.ALL) == "\x1b[0;38;2;255;0;0;48;2;118;118;118m"
    assert sgr(style, Depth.MANY) == "\x1b[0;38;5;196;48;5;243m"
    assert sgr(style, Depth.SIXTEEN) == "\x1b[0;31;100m"
    assert sgr(style, Depth.NONE) == "\x1b[0m"
