"""Records of finished games: what each side scored, did and suffered. Everything in them is repeatable."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from cogames.ladder.games import Game
from cogames.ladder.plan import Ladder
from mettagrid.runner.episode.outcome import EpisodeOutcome, VerdictStatus

__all__ = ["GameRecord", "Side", "make_record"]

TEAM = "team/"
"""prefix of the stats of a side's own team; the others are means over its agents"""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_NOT_COMPARED = ("objects.", "tokens_")


class Side(BaseModel):
    """One policy in a game. `score` is the mean reward of its agents."""

    entrant: int
    score: float
    status: VerdictStatus = "ok"
    message: str = ""
    step: int | None = None
    timeouts: int = 0
    stats: dict[str, float]

    @property
    def failed(self) -> bool:
        return self.status not in ("ok", "timed_out")


class GameRecord(BaseModel):
    """The result of a game, as its file holds it. `last_words` is the traceback of each failed policy."""

    game: str
    seed: int
    steps: int
    sides: list[Side]
    last_words: list[str]

    def side(self, entrant: int) -> Side:
        return next(side for side in self.sides if side.entrant == entrant)


def make_record(ladder: Ladder, game: Game, outcome: EpisodeOutcome) -> GameRecord:
    """Return the record of an episode."""
    mission = ladder.missions[game.mission]
    team_names = [mission.team_names[team] for team in mission.teams(outcome.seed)]
    sides = []
    for place, entrant in enumerate(game.entrants):
        agents = [agent for agent, assigned in enumerate(outcome.assignments) if assigned == place]
        names = sorted({team_names[agent] for agent in agents})
        verdict = outcome.verdicts[place]
        sides.append(
            Side(
                entrant=entrant,
                score=_mean([outcome.rewards[agent] for agent in agents]),
                status=verdict.status,
                message=_ADDRESS.sub("0x...", verdict.message),
                step=verdict.step,
                timeouts=verdict.timeouts,
                stats={
                    **_means([outcome.stats["agent"][agent] for agent in agents]),
                    **_means([_team_stats(outcome.stats["game"], name) for name in names]),
                    "steps": float(outcome.steps),
                },
            )
        )
    words = [_ADDRESS.sub("0x...", text) for text in outcome.last_words]
    return GameRecord(game=game.key, seed=outcome.seed, steps=outcome.steps, sides=sides, last_words=words)


def _team_stats(stats: Mapping[str, float], name: str) -> dict[str, float]:
    prefix = f"{name}/"
    return {
        f"{TEAM}{key.removeprefix(prefix)}": value
        for key, value in stats.items()
        if key.startswith(prefix) and not key.startswith(_NOT_COMPARED)
    }


def _means(tables: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = sorted({name for table in tables for name in table})
    return {name: _mean([table.get(name, 0.0) for table in tables]) for name in names}


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
