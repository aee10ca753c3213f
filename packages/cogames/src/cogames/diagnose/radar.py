"""Draw the three scores as a radar chart."""

from collections.abc import Sequence
from math import cos, radians, sin

from cogames.reports.html import Markup, tag

WIDTH, HEIGHT = 320, 240
MIDDLE_X, MIDDLE_Y = 160, 148
RADIUS = 110
RINGS = (25, 50, 75, 100)


def radar(scores: Sequence[tuple[str, float]]) -> Markup:
    """Draw scores of 0 to 100 on rays from the centre, the first one pointing up."""
    rays = [radians(-90 + 360 * number / len(scores)) for number in range(len(scores))]
    rings = [_polygon([ring] * len(scores), rays, class_="ring") for ring in RINGS]
    spokes = [_line(ray) for ray in rays]
    shape = _polygon([score for _, score in scores], rays, class_="shape")
    labels = [_label(name, score, ray) for (name, score), ray in zip(scores, rays, strict=True)]
    described = ", ".join(f"{name} {score:.0f}" for name, score in scores)
    return tag(
        "svg",
        tag("title", f"Scores of 100: {described}"),
        *rings,
        *spokes,
        shape,
        *labels,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        class_="radar",
    )


def _point(score: float, ray: float) -> tuple[float, float]:
    length = RADIUS * score / 100
    return MIDDLE_X + length * cos(ray), MIDDLE_Y + length * sin(ray)


def _polygon(scores: Sequence[float], rays: Sequence[float], **attributes: str) -> Markup:
    points = [_point(score, ray) for score, ray in zip(scores, rays, strict=True)]
    return tag("polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), **attributes)


def _line(ray: float) -> Markup:
    x, y = _point(100, ray)
    return tag("line", x1=str(MIDDLE_X), y1=str(MIDDLE_Y), x2=f"{x:.1f}", y2=f"{y:.1f}", class_="ring")


def _label(name: str, score: float, ray: float) -> Markup:
    x, y = _point(120, ray)
    return tag("text", f"{name} {score:.0f}", x=f"{x:.1f}", y=f"{y + 4:.1f}")
