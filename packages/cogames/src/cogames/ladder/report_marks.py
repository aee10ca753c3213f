"""Small drawings of the report: interval bars and the cells of the head-to-head matrix."""

from __future__ import annotations

from collections.abc import Sequence

from cogames.reports.html import Markup, tag
from softmax.stats import Rating

__all__ = ["interval_axis", "interval_bar", "share_cell"]

WIDTH, HEIGHT = 200, 18
STEPS = 10
"""number of colours of the matrix on each side of an even result, times two"""


def interval_axis(ratings: Sequence[Rating]) -> tuple[float, float]:
    """Return the ends of the axis that shows all intervals."""
    low = min(rating.rating if rating.low is None else rating.low for rating in ratings)
    high = max(rating.rating if rating.high is None else rating.high for rating in ratings)
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def interval_bar(rating: Rating, low: float, high: float) -> Markup:
    """Draw a rating as a dot on its interval."""

    def place(value: float) -> str:
        return f"{WIDTH * (value - low) / (high - low):.1f}"

    middle = str(HEIGHT // 2)
    marks = [tag("line", x1="0", x2=str(WIDTH), y1=middle, y2=middle, class_="axis")]
    if rating.low is not None and rating.high is not None:
        marks.append(tag("line", x1=place(rating.low), x2=place(rating.high), y1=middle, y2=middle, class_="interval"))
    marks.append(tag("circle", cx=place(rating.rating), cy=middle, r="5", class_="dot"))
    return tag("svg", *marks, viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="bar", role="img", aria_label="interval")


def share_cell(share: float | None, row: str, column: str, *, is_self: bool) -> Markup:
    """Return a cell whose colour shows who is ahead."""
    if share is None:
        return tag("td", "" if is_self else "–", class_="self" if is_self else "unplayed")
    percent = f"{100 * share:.0f}"
    return tag("td", percent, class_=f"share s{round(STEPS * share)}", title=f"{row} against {column}: {percent}%")
