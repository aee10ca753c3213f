"""Charts as inline SVG: curves with bands, and shares stacked on each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from cogames.reports.html import Markup, tag
from cogames_training.reports.series import Axis, Point, Series

__all__ = ["COLOURS", "curve_chart", "share_chart", "ticks"]

COLOURS = 10
"""number of colours of runs and of phases, after which they repeat"""

WIDTH, HEIGHT = 420, 210
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 10, 34
DOT_SPACE = 8  # points that are closer are drawn without dots


class _Scale:
    """Maps values to pixels."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def curve_chart(title: str, series: Sequence[Series], axis: Axis) -> Markup:
    """Return a figure with one curve per series; an empty text if no series has points."""
    drawn = [each for each in series if each.points]
    if not drawn:
        return Markup("")
    points = [point for each in drawn for point in each.points]
    across = _Scale(*_range([point.x for point in points], margin=0.0), LEFT, WIDTH - RIGHT)
    values = [value for point in points for value in (point.low, point.high)]
    up = _Scale(*_range(values, margin=0.06), HEIGHT - BOTTOM, TOP)
    marks: list[Markup] = []
    for each in drawn:
        if any(point.low < point.high for point in each.points):
            marks.append(_band(each.points, across, up, f"band c{each.colour % COLOURS}"))
    for each in drawn:
        colour = f"c{each.colour % COLOURS}"
        line = " ".join(_place(point.x, point.y, across, up) for point in each.points)
        marks.append(tag("polyline", points=line, class_=f"curve {colour}", data_name=each.name))
        if across(each.points[-1].x) - across(each.points[0].x) >= DOT_SPACE * (len(each.points) - 1):
            marks += [_dot(point, across, up, colour) for point in each.points]
    omitted = sum(each.omitted for each in series)
    remark = f" ({omitted} values are not numbers)" if omitted else ""
    return _figure(title, remark, [*_grid(across, up, axis), *marks], across, up, axis)


def share_chart(title: str, parts: Mapping[str, Sequence[tuple[float, float]]], axis: Axis) -> Markup:
    """Return a figure with stacked shares from 0 to 1; `parts` has (x, share) by name, all with the same x."""
    places = [x for x, _ in next(iter(parts.values()), ())]
    if not places:
        return Markup("")
    across = _Scale(*_range(places, margin=0.0), LEFT, WIDTH - RIGHT)
    up = _Scale(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    below = [0.0] * len(places)
    marks = []
    for index, (name, values) in enumerate(parts.items()):
        above = [base + share for base, (_, share) in zip(below, values, strict=True)]
        band = [Point(x, 0.0, low, high) for x, low, high in zip(places, below, above, strict=True)]
        mean = sum(share for _, share in values) / len(values)
        marks.append(_band(band, across, up, f"area c{index % COLOURS}", f"{name}: {mean:.0%}"))
        below = above
    return _figure(title, "", [*marks, *_grid(across, up, axis, percent=True)], across, up, axis)


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return round numbers from `low` to `high`, about `count` of them."""
    if not high > low:
        return [low]
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((factor * power for factor in (1, 2, 2.5, 5) if factor * power >= rough), 10 * power)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def _figure(title: str, remark: str, marks: Sequence[Markup], across: _Scale, up: _Scale, axis: Axis) -> Markup:
    drawing = tag(
        "svg",
        *marks,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=f"{title} by {axis.label}",
        data_x=f"{across.low:.9g},{across.high:.9g},{across.start:g},{across.end:g}",
        data_y=f"{up.low:.9g},{up.high:.9g},{up.start:g},{up.end:g}",
        data_axis=axis.name,
    )
    caption = tag("figcaption", tag("b", title), tag("span", remark, class_="bad") if remark else "")
    return tag("figure", caption, drawing, class_=f"by-{axis.name}")


def _grid(across: _Scale, up: _Scale, axis: Axis, *, percent: bool = False) -> list[Markup]:
    left, right, bottom = str(LEFT), str(WIDTH - RIGHT), HEIGHT - BOTTOM
    marks = []
    heights = ticks(up.low, up.high)
    for value in heights:
        y = f"{up(value):.1f}"
        label = f"{value:.0%}" if percent else _label(value, heights)
        marks.append(tag("line", x1=left, x2=right, y1=y, y2=y, class_="grid"))
        marks.append(tag("text", label, x=str(LEFT - 6), y=y, dy=".35em", class_="tick end"))
    places = ticks(across.low, across.high)
    for value in places:
        label = _label(value, places)
        x = across(value)
        place = "tick last" if x > WIDTH - RIGHT - 12 else "tick middle"
        marks.append(tag("text", label, x=f"{x:.1f}", y=str(bottom + 14), class_=place))
    middle = f"{(LEFT + WIDTH - RIGHT) / 2:.0f}"
    return [*marks, tag("text", axis.label, x=middle, y=str(HEIGHT - 4), class_="tick middle quiet")]


def _label(value: float, neighbours: Sequence[float]) -> str:
    """Return a tick's number, with as many digits as tell it from its neighbours."""
    step = neighbours[1] - neighbours[0] if len(neighbours) > 1 else abs(value) or 1.0
    size = max(abs(neighbours[0]), abs(neighbours[-1]))
    scale, unit = next(((s, u) for s, u in ((1e9, "B"), (1e6, "M"), (1e4, "k")) if size >= s), (1.0, ""))
    scale = 1e3 if unit == "k" else scale
    decimals = max(0, -math.floor(math.log10(step / scale) + 1e-9))
    if abs(step / scale * 10**decimals % 1 - 0.5) < 1e-6:  # steps of 2.5
        decimals += 1
    if decimals > 4:
        return f"{value:.1e}" if value else "0"
    return f"{value / scale:.{decimals}f}{unit}" if value else "0"


def _band(points: Sequence[Point], across: _Scale, up: _Scale, style: str, title: str = "") -> Markup:
    upper = [_place(point.x, point.high, across, up) for point in points]
    lower = [_place(point.x, point.low, across, up) for point in reversed(points)]
    label = [tag("title", title)] if title else []
    return tag("polygon", *label, points=" ".join([*upper, *lower]), class_=style)


def _dot(point: Point, across: _Scale, up: _Scale, colour: str) -> Markup:
    return tag("circle", cx=f"{across(point.x):.1f}", cy=f"{up(point.y):.1f}", r="2.5", class_=f"dot {colour}")


def _place(x: float, y: float, across: _Scale, up: _Scale) -> str:
    return f"{across(x):.1f},{up(y):.2f}"


def _range(values: Sequence[float], *, margin: float) -> tuple[float, float]:
    low, high = min(values), max(values)
    if not high > low:
        space = abs(low) * 0.1 or 1.0
        return low - space, high + space
    return low - margin * (high - low), high + margin * (high - low)
