"""Turn the episodes of a round into scores: who counted, with which score, on which side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from observatory.ladder.plans import PlannedEpisode

__all__ = [
    "CountedEpisode",
    "EpisodeResult",
    "RoundScore",
    "Side",
    "count_episode",
    "meetings",
    "outcome",
    "round_scores",
    "sides_of",
]


MAX_SCORE = 1e100
"""sums and squares of larger ones would overflow"""


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """How an episode ended: the score of each seat, or the seat at fault, or neither."""

    scores: tuple[float, ...] | None = None
    blamed_seat: int | None = None


@dataclass(frozen=True, slots=True)
class CountedEpisode:
    """What an episode says about its entrants: scores in the order of seats, and an entrant that forfeited."""

    scores: tuple[tuple[int, float], ...] = ()
    forfeit: int | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """Entrants that win and lose together. Their score is the mean of theirs; None for a forfeit."""

    entrants: tuple[int, ...]
    score: float | None


@dataclass(frozen=True, slots=True)
class RoundScore:
    """The round of one entrant."""

    score: float
    """the mean over its episodes; a forfeit counts as the lowest score of the round, at most zero"""
    episodes: int
    forfeits: int
    won: float | None
    """the share of its meetings with other sides that it has won; a draw is half of one"""


def count_episode(
    planned: PlannedEpisode, result: EpisodeResult, *, clones: Literal["mean", "sum"] = "mean"
) -> CountedEpisode | None:
    """Return what an episode counts; None if it failed and no entrant is at fault."""
    if result.scores is None:
        blamed = None if result.blamed_seat is None else planned.seats[result.blamed_seat].entrant
        return None if blamed is None else CountedEpisode(forfeit=blamed)
    found: dict[int, list[float]] = {}
    for seat, score in zip(planned.seats, result.scores, strict=True):
        if seat.entrant is not None and not seat.is_filler:
            found.setdefault(seat.entrant, []).append(min(max(score, -MAX_SCORE), MAX_SCORE))
    return CountedEpisode(tuple((entrant, _folded(scores, clones)) for entrant, scores in found.items()))


def _folded(scores: Sequence[float], clones: str) -> float:
    total = math.fsum(scores)
    return total if clones == "sum" else total / len(scores)


def sides_of(planned: PlannedEpisode, counted: CountedEpisode) -> list[Side]:
    """Return the sides of an episode. Of a forfeited one only the side at fault has lost; the others have not met."""
    members: dict[tuple[str, int], list[int]] = {}
    for seat in planned.seats:
        if seat.entrant is not None and not seat.is_filler:
            key = ("entrant", seat.entrant) if seat.side is None else ("side", seat.side)
            if seat.entrant not in members.setdefault(key, []):
                members[key].append(seat.entrant)
    scores = dict(counted.scores)
    sides = []
    for entrants in members.values():
        if counted.forfeit is not None:
            sides.append(Side(tuple(entrants), None if counted.forfeit in entrants else 0.0))
        else:
            mean = math.fsum(scores[entrant] for entrant in entrants) / len(entrants)
            sides.append(Side(tuple(entrants), mean))
    return sides


def outcome(first: Side, second: Side, margin_scale: float | None = None) -> float:
    """Return the result of the first side: 1 for a win, 0.5 for a draw, 0 for a loss; between them with a margin."""
    if first.score is None or second.score is None:
        return float(first.score is not None)
    difference = first.score - second.score
    if margin_scale is None:
        return 0.5 if difference == 0 else float(difference > 0)
    return min(max(0.5 + difference / (2 * margin_scale), 0.0), 1.0)


def meetings(sides: Sequence[Side]) -> Iterable[tuple[Side, Side]]:
    """Return the pairs of sides that have met. In a forfeited episode the others have met the side at fault only."""
    forfeited = any(side.score is None for side in sides)
    for number, first in enumerate(sides):
        for second in sides[number + 1 :]:
            if not forfeited or first.score is None or second.score is None:
                yield first, second


def round_scores(episodes: Iterable[tuple[PlannedEpisode, CountedEpisode]], entrants: int) -> dict[int, RoundScore]:
    """Return the scores of the entrants that have an episode that counts."""
    scores: dict[int, list[float]] = {entrant: [] for entrant in range(entrants)}
    forfeits = dict.fromkeys(scores, 0)
    results: dict[int, list[float]] = {entrant: [] for entrant in scores}
    for planned, counted in episodes:
        for entrant, score in counted.scores:
            scores[entrant].append(score)
        if counted.forfeit is not None:
            forfeits[counted.forfeit] += 1
        for first, second in meetings(sides_of(planned, counted)):
            for side, result in ((first, outcome(first, second)), (second, outcome(second, first))):
                for entrant in side.entrants:
                    results[entrant].append(result)
    lowest = min((score for found in scores.values() for score in found), default=0.0)
    penalty = min(lowest, 0.0)
    return {
        entrant: RoundScore(
            score=(math.fsum(found) + penalty * forfeits[entrant]) / (len(found) + forfeits[entrant]),
            episodes=len(found) + forfeits[entrant],
            forfeits=forfeits[entrant],
            won=math.fsum(results[entrant]) / len(results[entrant]) if results[entrant] else None,
        )
        for entrant, found in scores.items()
        if found or forfeits[entrant]
    }
