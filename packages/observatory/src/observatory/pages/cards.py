"""Draw the preview card of a policy version, 1200 by 630, which sites show beside a link."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from observatory.pages.drawing import Box, Circle, Line, Shape, Text, as_png, as_svg, fitting, visible
from observatory.pages.policies import policy_page

__all__ = ["HEIGHT", "WIDTH", "Card", "card_of"]

WIDTH, HEIGHT = 1200, 630
_GROUND, _PANEL, _LINE = "#0c0f12", "#14191e", "#2a333b"
_INK, _QUIET, _ACCENT, _GOLD = "#e6ebef", "#93a0ab", "#58b8d8", "#e2b23c"
_LEFT, _RIGHT = 72, WIDTH - 72
_MAX_POINTS = 200


@dataclass(frozen=True)
class Card:
    """The public facts of a policy version that a card shows."""

    name: str
    version: int
    author: str
    season: str | None = None
    rank: int | None = None
    of: int = 0
    score: float | None = None
    low: float | None = None
    high: float | None = None
    matches: int = 0
    scores: Sequence[float] = ()
    """running scores, match by match"""

    @property
    def title(self) -> str:
        return visible(f"{self.name} v{self.version} by {self.author}")

    @property
    def sentence(self) -> str:
        if self.season is None:
            return "A policy of the Alignment League"
        if self.rank is None or self.score is None:
            return f"Plays in {self.season}"
        return f"Rank {self.rank} of {self.of} in {self.season}: {_rounded(self.score)} after {self._played}"

    @property
    def _played(self) -> str:
        return f"{self.matches} match{'' if self.matches == 1 else 'es'}"

    def svg(self) -> str:
        return as_svg(self._shapes(), width=WIDTH, height=HEIGHT, title=f"{self.title}. {self.sentence}")

    def png(self) -> bytes:
        return as_png(self._shapes(), width=WIDTH, height=HEIGHT)

    def _shapes(self) -> list[Shape]:
        name, size = fitting(visible(self.name), width=_RIGHT - _LEFT - 90, largest=92, smallest=44)
        shapes: list[Shape] = [
            Box(0, 0, WIDTH, HEIGHT, _GROUND),
            Box(28, 28, WIDTH - 56, HEIGHT - 56, _PANEL, 28),
            *_mark(_LEFT, 70),
            Text(_LEFT + 52, 104, "Alignment League", 30, _QUIET),
            Text(_LEFT, 218, name, size, _INK),
            Text(_LEFT, 272, f"v{self.version}  by {_shortened(visible(self.author), 40)}", 34, _QUIET),
        ]
        if self.season is None:
            return [*shapes, Text(_LEFT, 420, "Plays in no season yet", 40, _QUIET)]
        shapes.append(Text(_RIGHT, 104, _shortened(self.season, 36), 30, _QUIET, "end"))
        if self.rank is None or self.score is None:
            return [*shapes, Text(_LEFT, 420, "Its first matches are being played", 40, _QUIET)]
        return [*shapes, *self._standing(self.rank, self.score), *self._curve()]

    def _standing(self, rank: int, score: float) -> list[Shape]:
        colour = _GOLD if rank <= 3 else _INK
        number = f"#{rank}"
        shapes: list[Shape] = [
            Text(_LEFT, 430, number, 120, colour),
            Text(_LEFT, 482, f"of {self.of} policies", 30, _QUIET),
            Text(_LEFT + 320, 430, _rounded(score), 88, _INK),
            Text(_LEFT + 320, 482, self._played, 30, _QUIET),
        ]
        if self.low is not None and self.high is not None:
            shapes.append(Text(_LEFT, 546, f"95 % interval: {_rounded(self.low)} to {_rounded(self.high)}", 28, _QUIET))
        return shapes

    def _curve(self) -> list[Shape]:
        """Draw the running score, with the newest matches at the right."""
        scores = list(self.scores)[-_MAX_POINTS:]
        if len(scores) < 2:
            return []
        left, right, top, bottom = _LEFT + 640, _RIGHT, 340, 540
        low, high = min(scores), max(scores)
        reach = (high - low) or 1.0
        points = [
            (left + (right - left) * n / (len(scores) - 1), bottom - (bottom - top) * (value - low) / reach)
            for n, value in enumerate(scores)
        ]
        return [
            Line([(left, bottom + 8), (right, bottom + 8)], _LINE, 3),
            Line(points, _ACCENT, 5),
            Circle(*points[-1], 9, _ACCENT),
        ]


def card_of(session: Session, policy_version_id: uuid.UUID) -> Card:
    """Return the public card of a version; raise `NotFound` when there is no such version."""
    page = policy_page(session, policy_version_id, None)
    policy = page.policy
    row = next((row for row in page.seasons if row.season == page.season and row.pool == page.pool), None)
    if row is None:
        return Card(policy.name, policy.version, policy.author)
    return Card(
        policy.name,
        policy.version,
        policy.author,
        row.display_name,
        row.rank,
        row.of,
        row.score,
        row.low,
        row.high,
        row.matches,
        [point.score for point in page.points],
    )


def _mark(x: float, y: float) -> list[Shape]:
    bars = [(8, 20), (20, 4), (32, 12)]
    return [
        *(Line([(x + at, y + 36), (x + at, y + top)], _ACCENT, 6) for at, top in bars),
        Circle(x + 20, y + 4, 6, _GOLD),
    ]


def _shortened(text: str, max_characters: int) -> str:
    return text if len(text) <= max_characters else text[: max_characters - 1] + "…"


def _rounded(value: float) -> str:
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2 if abs(value) >= 10 else 3
    return f"{value:.{digits}f}".replace("-", "−")
