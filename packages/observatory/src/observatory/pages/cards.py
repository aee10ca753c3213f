"""Draw the preview card of a policy version, 1200 by 630, which sites show beside a link."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from observatory.pages.card_style import (
    ACCENT,
    GOLD,
    HEIGHT,
    INK,
    LEFT,
    LINE,
    QUIET,
    RIGHT,
    WIDTH,
    background,
    rounded,
    shortened,
)
from observatory.pages.drawing import Circle, Line, Shape, Text, as_png, as_svg, fitting, visible
from observatory.pages.policies import policy_page

__all__ = ["Card", "card_of"]

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
        return f"Rank {self.rank} of {self.of} in {self.season}: {rounded(self.score)} after {self._played}"

    @property
    def _played(self) -> str:
        return f"{self.matches} match{'' if self.matches == 1 else 'es'}"

    def svg(self) -> str:
        return as_svg(self._shapes(), width=WIDTH, height=HEIGHT, title=f"{self.title}. {self.sentence}")

    def png(self) -> bytes:
        return as_png(self._shapes(), width=WIDTH, height=HEIGHT)

    def _shapes(self) -> list[Shape]:
        name, size = fitting(visible(self.name), width=RIGHT - LEFT - 90, largest=92, smallest=44)
        shapes: list[Shape] = [
            *background(),
            Text(LEFT, 218, name, size, INK),
            Text(LEFT, 272, f"v{self.version}  by {shortened(visible(self.author), 40)}", 34, QUIET),
        ]
        if self.season is None:
            return [*shapes, Text(LEFT, 420, "Plays in no season yet", 40, QUIET)]
        shapes.append(Text(RIGHT, 104, shortened(self.season, 36), 30, QUIET, "end"))
        if self.rank is None or self.score is None:
            return [*shapes, Text(LEFT, 420, "Its first matches are being played", 40, QUIET)]
        return [*shapes, *self._standing(self.rank, self.score), *self._curve()]

    def _standing(self, rank: int, score: float) -> list[Shape]:
        colour = GOLD if rank <= 3 else INK
        number = f"#{rank}"
        shapes: list[Shape] = [
            Text(LEFT, 430, number, 120, colour),
            Text(LEFT, 482, f"of {self.of} policies", 30, QUIET),
            Text(LEFT + 320, 430, rounded(score), 88, INK),
            Text(LEFT + 320, 482, self._played, 30, QUIET),
        ]
        if self.low is not None and self.high is not None:
            shapes.append(Text(LEFT, 546, f"95 % interval: {rounded(self.low)} to {rounded(self.high)}", 28, QUIET))
        return shapes

    def _curve(self) -> list[Shape]:
        """Draw the running score, with the newest matches at the right."""
        scores = list(self.scores)[-_MAX_POINTS:]
        if len(scores) < 2:
            return []
        left, right, top, bottom = LEFT + 640, RIGHT, 340, 540
        low, high = min(scores), max(scores)
        reach = (high - low) or 1.0
        points = [
            (left + (right - left) * n / (len(scores) - 1), bottom - (bottom - top) * (value - low) / reach)
            for n, value in enumerate(scores)
        ]
        return [
            Line([(left, bottom + 8), (right, bottom + 8)], LINE, 3),
            Line(points, ACCENT, 5),
            Circle(*points[-1], 9, ACCENT),
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
