"""Draw a list of simple shapes as SVG or PNG."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

__all__ = ["Box", "Circle", "Line", "Shape", "Text", "as_png", "as_svg", "fitting", "visible"]

FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"
_OVERSAMPLING = 2
_LETTER = 0.56
"""mean width of a letter by its height"""


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    width: float
    height: float
    colour: str
    radius: float = 0


@dataclass(frozen=True)
class Line:
    """Through all points."""

    points: Sequence[tuple[float, float]]
    colour: str
    width: float


@dataclass(frozen=True)
class Circle:
    x: float
    y: float
    radius: float
    colour: str


@dataclass(frozen=True)
class Text:
    """`y` is the line that letters stand on."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: Literal["start", "end"] = "start"


Shape = Box | Line | Circle | Text


def visible(text: str) -> str:
    """Replace invisible characters and direction overrides in a text."""
    return "".join(letter if unicodedata.category(letter) not in _UNSEEN else "\ufffd" for letter in text)


_IN_FONT = str.maketrans({"–": "-", "—": "-", "−": "-", "…": "..."})
"""signs that the font of PNG images lacks, and those instead of them"""
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def fitting(text: str, *, width: float, largest: float, smallest: float) -> tuple[str, float]:
    """Return the text, shortened where it must be, and the largest size at which it is about as wide as allowed."""
    size = min(largest, width / max(_LETTER, _units(text) * _LETTER))
    if size >= smallest:
        return text, size
    while text and _units(text + "…") * _LETTER * smallest > width:
        text = text[:-1]
    return text + "…", smallest


def _units(text: str) -> float:
    return sum(1.8 if unicodedata.east_asian_width(letter) in "WF" else 1.0 for letter in text)


def as_svg(shapes: Sequence[Shape], *, width: int, height: int, title: str) -> str:
    """Return an SVG document without scripts, styles or external references."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="{escape(FONT)}">',
        f"<title>{escape(visible(title))}</title>",
        *(_svg(shape) for shape in shapes),
        "</svg>",
    ]
    return "\n".join(parts)


def _svg(shape: Shape) -> str:
    match shape:
        case Box():
            return (
                f'<rect x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}" '
                f'rx="{shape.radius:.1f}" fill="{shape.colour}"/>'
            )
        case Line():
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
            return (
                f'<polyline points="{points}" fill="none" stroke="{shape.colour}" stroke-width="{shape.width:.1f}" '
                f'stroke-linecap="round" stroke-linejoin="round"/>'
            )
        case Circle():
            return f'<circle cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:.1f}" fill="{shape.colour}"/>'
        case Text():
            return (
                f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size:.1f}" fill="{shape.colour}" '
                f'text-anchor="{shape.anchor}" direction="ltr" unicode-bidi="isolate">'
                f"{escape(visible(shape.text))}</text>"
            )


def as_png(shapes: Sequence[Shape], *, width: int, height: int) -> bytes:
    """Return the shapes as a PNG image. Letters that the font lacks are shown as boxes."""
    from PIL import Image, ImageDraw

    scale = _OVERSAMPLING
    picture = Image.new("RGB", (width * scale, height * scale))
    pen = ImageDraw.Draw(picture)
    for shape in shapes:
        _paint(pen, shape, scale)
    small = picture.resize((width, height), Image.Resampling.LANCZOS)
    data = io.BytesIO()
    small.save(data, "PNG", optimize=True)
    return data.getvalue()


def _paint(pen: ImageDraw, shape: Shape, scale: int) -> None:
    from PIL import ImageFont

    match shape:
        case Box():
            corners = (shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
            pen.rounded_rectangle([scale * value for value in corners], scale * shape.radius, fill=shape.colour)
        case Line():
            points = [(scale * x, scale * y) for x, y in shape.points]
            pen.line(points, fill=shape.colour, width=round(scale * shape.width), joint="curve")
        case Circle():
            ends = (shape.x - shape.radius, shape.y - shape.radius, shape.x + shape.radius, shape.y + shape.radius)
            pen.ellipse([scale * value for value in ends], fill=shape.colour)
        case Text():
            font = ImageFont.load_default(scale * shape.size)
            anchor = "ls" if shape.anchor == "start" else "rs"
            place = (scale * shape.x, scale * shape.y)
            pen.text(place, visible(shape.text).translate(_IN_FONT), fill=shape.colour, font=font, anchor=anchor)
