"""The look of all preview cards: 1200 by 630, dark, with the mark of the league."""

from __future__ import annotations

from observatory.pages.drawing import Box, Circle, Line, Shape, Text

__all__ = [
    "ACCENT",
    "GOLD",
    "HEIGHT",
    "INK",
    "LEFT",
    "LINE",
    "QUIET",
    "RIGHT",
    "WIDTH",
    "background",
    "rounded",
    "shortened",
]

WIDTH, HEIGHT = 1200, 630
GROUND, PANEL, LINE = "#0c0f12", "#14191e", "#2a333b"
INK, QUIET, ACCENT, GOLD = "#e6ebef", "#93a0ab", "#58b8d8", "#e2b23c"
LEFT, RIGHT = 72, WIDTH - 72


def background() -> list[Shape]:
    """Return the ground, the panel and the name of the site."""
    return [
        Box(0, 0, WIDTH, HEIGHT, GROUND),
        Box(28, 28, WIDTH - 56, HEIGHT - 56, PANEL, 28),
        *_mark(LEFT, 70),
        Text(LEFT + 52, 104, "Alignment League", 30, QUIET),
    ]


def _mark(x: float, y: float) -> list[Shape]:
    bars = [(8, 20), (20, 4), (32, 12)]
    return [
        *(Line([(x + at, y + 36), (x + at, y + top)], ACCENT, 6) for at, top in bars),
        Circle(x + 20, y + 4, 6, GOLD),
    ]


def shortened(text: str, max_characters: int) -> str:
    return text if len(text) <= max_characters else text[: max_characters - 1] + "…"


def rounded(value: float) -> str:
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2 if abs(value) >= 10 else 3
    return f"{value:.{digits}f}".replace("-", "−")
