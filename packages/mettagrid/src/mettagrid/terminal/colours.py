"""Convert colours to what the terminal can show."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import cache

from mettagrid.terminal.cells import Colour, Style

__all__ = ["Depth", "colour_depth", "mixed", "sgr", "speaks_unicode"]


class Depth(IntEnum):
    """The number of colours of a terminal."""

    NONE = 0
    SIXTEEN = 16
    MANY = 256
    ALL = 1 << 24


_BASIC: list[Colour] = [
    *((0, 0, 0), (170, 0, 0), (0, 170, 0), (170, 85, 0), (0, 0, 170), (170, 0, 170), (0, 170, 170), (170, 170, 170)),
    *((85, 85, 85), (255, 85, 85), (85, 255, 85), (255, 255, 85), (85, 85, 255), (255, 85, 255), (85, 255, 255)),
    (255, 255, 255),
]
_LEVELS = (0, 95, 135, 175, 215, 255)


def colour_depth(environment: Mapping[str, str]) -> Depth:
    """Return the colour depth from `NO_COLOR` (https://no-color.org), `COLORTERM` and `TERM`."""
    if environment.get("NO_COLOR"):
        return Depth.NONE
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return Depth.ALL
    term = environment.get("TERM", "")
    if term.endswith(("-direct", "-truecolor")):
        return Depth.ALL
    if "256color" in term or term in ("alacritty", "xterm-kitty", "xterm-ghostty", "foot"):
        return Depth.MANY
    return Depth.NONE if term in ("", "dumb", "vt100", "vt220") else Depth.SIXTEEN


def speaks_unicode(environment: Mapping[str, str]) -> bool:
    """Return whether the locale is UTF-8 and the terminal is not a text console with few characters.

    If no variable is set the answer is yes: such shells run in terminals that support UTF-8 today.
    """
    if environment.get("TERM") in ("linux", "vt100", "vt220"):
        return False
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    chosen = next((environment[name] for name in names if environment.get(name)), "UTF-8")
    # Python itself sets LC_CTYPE when the locale is C; if LANG says C as well, the user chose it.
    if chosen == "C.UTF-8" and not environment.get("LC_ALL") and environment.get("LANG") in ("C", "POSIX"):
        return False
    return "utf8" in chosen.lower().replace("-", "")


@cache
def mixed(colour: Colour, other: Colour, share: float) -> Colour:
    """Return a colour mixed with a share of another."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))
    return red, green, blue


@cache
def sgr(style: Style, depth: Depth) -> str:
    """Return the escape sequence that switches to a style from any other."""
    codes = ["0"]
    codes += [code for code, on in (("1", style.bold), ("2", style.dim), ("4", style.underline)) if on]
    if style.reverse:
        codes.append("7")
    if style.fore is not None:
        codes += _codes(style.fore, depth, 30)
    if style.back is not None:
        codes += _codes(style.back, depth, 40)
    return f"\x1b[{';'.join(codes)}m"


def _codes(colour: Colour, depth: Depth, base: int) -> list[str]:
    if depth == Depth.ALL:
        return [str(base + 8), "2", *map(str, colour)]
    if depth == Depth.MANY:
        return [str(base + 8), "5", str(_nearest_of_256(colour))]
    if depth == Depth.SIXTEEN:
        number = min(range(16), key=lambda index: _distance(colour, _BASIC[index]))
        return [str(base + number if number < 8 else base + 60 + number - 8)]
    return []


@cache
def _nearest_of_256(colour: Colour) -> int:
    cube = [min(range(6), key=lambda level: abs(_LEVELS[level] - part)) for part in colour]
    in_cube = (_LEVELS[cube[0]], _LEVELS[cube[1]], _LEVELS[cube[2]])
    grey = min(range(24), key=lambda step: _distance(colour, (8 + 10 * step,) * 3))
    # Keep the hue of a dark tint visible.
    is_grey = max(colour) - min(colour) < 24
    if is_grey and _distance(colour, (8 + 10 * grey,) * 3) < _distance(colour, in_cube):
        return 232 + grey
    return 16 + 36 * cube[0] + 6 * cube[1] + cube[2]


def _distance(colour: Colour, other: Colour) -> int:
    return sum((a - b) ** 2 for a, b in zip(colour, other, strict=True))
