"""The colours of the view."""

from __future__ import annotations

from mettagrid.terminal.cells import Colour, Style

GROUND: Colour = (20, 24, 29)
"""team colours are mixed with this; the screen itself keeps the terminal's own background"""

TEXT = Style()
FAINT = Style(fore=(130, 140, 150))
STRONG = Style(bold=True)
TITLE = Style(fore=(150, 200, 255), bold=True)
LINE = Style(fore=(80, 90, 100))
BAR = Style(back=(40, 48, 58), fore=(225, 230, 235))
BAR_KEY = Style(back=(40, 48, 58), fore=(255, 215, 110), bold=True)
BAR_STRONG = Style(back=(40, 48, 58), fore=(255, 255, 255), bold=True)
KEY = Style(fore=(255, 215, 110), bold=True)
GOOD = Style(fore=(110, 210, 130), bold=True)
BAD = Style(fore=(240, 110, 100), bold=True)
WARNING = Style(fore=(255, 200, 90), bold=True)
LESSON = Style(fore=(255, 225, 120), bold=True)

WALL = Style(fore=(70, 80, 92))
EMPTY_GROUND = Style(fore=(70, 78, 88))
OUTSIDE = Style()
CURSOR = Style(bold=True, reverse=True)
HIGHLIGHT: Colour = (150, 120, 20)
PATH = Style(fore=(255, 215, 110), bold=True)
