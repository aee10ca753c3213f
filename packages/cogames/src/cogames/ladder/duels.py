"""Duels: two policies on one map, decided by the difference of their scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cogames.ladder.games import DuelKey, Game, partners_of_duel
from cogames.ladder.measures import measured
from cogames.ladder.plan import Ladder
from cogames.ladder.records import GameRecord, Side

__all__ = ["Duel", "Reason", "judge"]

Reason = Literal["score", "failure"]

CLOSE = 1e-9
"""relative difference up to which scores are equal"""


@dataclass(frozen=True)
class Duel:
    """A decided duel. `result` is 1 if the first of the pair won, 0 if the second did, 0.5 for a draw.

    A policy that fails in one of its games loses (`reason` is `failure`), whatever the scores; if both fail it is a
    draw. `stats` are the measures of both, averaged over the games.
    """

    key: DuelKey
    scores: tuple[float, float]
    failed: tuple[bool, bool]
    stats: tuple[dict[str, float], dict[str, float]]
    games: tuple[Game, ...]

    @property
    def difference(self) -> float:
        return self.scores[0] - self.scores[1]

    @property
    def reason(self) -> Reason:
        return "failure" if any(self.failed) else "score"

    @property
    def result(self) -> float:
        if any(self.failed):
            return 0.5 if all(self.failed) else float(self.failed[1])
        if abs(self.difference) <= CLOSE * max(1.0, *map(abs, self.scores)):
            return 0.5
        return float(self.difference > 0)

    def flipped(self) -> Duel:
        """Return the duel from the second policy's view."""
        key = replace(self.key, pair=self.key.pair[::-1])
        return Duel(key, self.scores[::-1], self.failed[::-1], self.stats[::-1], self.games)


def judge(ladder: Ladder, key: DuelKey, records: Mapping[Game, GameRecord]) -> Duel:
    """Decide a duel from the records of its games."""
    first, second = (_sides(ladder, key, entrant, records) for entrant in key.pair)
    return Duel(
        key,
        scores=(_mean([side.score for side in first]), _mean([side.score for side in second])),
        failed=(any(side.failed for side in first), any(side.failed for side in second)),
        stats=(measured(_stats(first)), measured(_stats(second))),
        games=tuple(ladder.games_of(key)),
    )


def _sides(ladder: Ladder, key: DuelKey, entrant: int, records: Mapping[Game, GameRecord]) -> list[Side]:
    """Return the sides of an entrant; one for each partner of a `mixed` duel, so that all partners count equally."""
    if ladder.missions[key.mission].meeting != "mixed":
        return [records[game].side(entrant) for game in ladder.games_of(key) if entrant in game.entrants]
    sides = []
    for _, games in partners_of_duel(key, entrant, len(ladder.entrants)):
        beside = [records[game].side(entrant) for game in games]
        failed = next((side for side in beside if side.failed), beside[0])
        score = _mean([side.score for side in beside])
        sides.append(failed.model_copy(update={"score": score, "stats": _stats(beside)}))
    return sides


def _stats(sides: Sequence[Side]) -> dict[str, float]:
    names = sorted({name for side in sides for name in side.stats})
    means = {name: _mean([side.stats.get(name, 0.0) for side in sides]) for name in names}
    return {**means, "timeouts": _mean([float(side.timeouts) for side in sides])}


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
