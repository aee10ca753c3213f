"""Decide who leaves a division after a round: promotion, relegation and disqualification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from observatory.ladder.rating import Standing, displayed
from observatory.leagues.ladder_settings import LadderDivision, Ranking, Score

__all__ = ["Level", "Move", "moves"]


@dataclass(frozen=True, slots=True)
class Level:
    """A division that takes part in promotion and relegation."""

    division: str
    level: int


@dataclass(frozen=True, slots=True)
class Move:
    """A player leaves its division. Without a target it is disqualified."""

    player_id: str
    kind: Literal["promoted", "relegated", "disqualified"]
    to: str | None
    why: str


def moves(
    ranking: Ranking,
    rules: LadderDivision,
    division: str,
    levels: Sequence[Level],
    standings: Sequence[tuple[str, Standing]],
) -> list[Move]:
    """Return the moves that follow from the standings of a division's entrants."""
    own = next(level.level for level in levels if level.division == division)
    above = min((level for level in levels if level.level > own), key=lambda level: level.level, default=None)
    below = max((level for level in levels if level.level < own), key=lambda level: level.level, default=None)
    is_score = isinstance(ranking, Score)
    lowest = rules.minimum_standing if is_score else rules.minimum_rating
    highest = rules.maximum_standing if is_score else rules.maximum_rating
    limit = rules.disqualify_after_consecutive_failures
    found = []
    for player_id, standing in standings:
        value = displayed(ranking, standing)
        if limit is not None and standing.failed_rounds >= limit:
            why = f"It failed in {standing.failed_rounds} rounds in a row"
            found.append(Move(player_id, "disqualified", None, why))
        elif above is not None and highest is not None and value > highest:
            found.append(Move(player_id, "promoted", above.division, f"{value:.1f} is above {highest:g}"))
        elif below is not None and lowest is not None and value < lowest:
            found.append(Move(player_id, "relegated", below.division, f"{value:.1f} is below {lowest:g}"))
    return found
