"""Results of a ladder as one document, from which tables, files and the report are made; `summary` computes them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from cogames.ladder.decisive import DecisiveStat
from cogames.ladder.duels import Reason
from softmax.stats import Estimate, Rating

__all__ = ["DuelRow", "Failure", "LadderResults", "Pairing", "PairingOnMission", "ReplayRow", "Standing"]


class Standing(BaseModel):
    """A policy's place. `points` are wins plus half the draws; `scores` are mean rewards per agent, by mission."""

    rank: int
    name: str
    policy: str
    rating: Rating
    points: float
    duels: int
    wins: int
    draws: int
    losses: int
    failures: int
    timeouts: int
    scores: dict[str, Estimate]


class PairingOnMission(BaseModel):
    """A pairing on one mission; `difference` is the first policy's score minus the second's, map by map."""

    mission: str
    wins: int
    draws: int
    losses: int
    difference: Estimate


class Pairing(BaseModel):
    """Two policies over all missions, from the view of the one with the higher rank."""

    first: str
    second: str
    points: float
    duels: int
    wins: int
    draws: int
    losses: int
    failures: list[int]
    decided: str
    """what decided the pairing: `drawn`, `failures`, or the first of `decided_by`"""
    decided_by: list[DecisiveStat]
    missions: list[PairingOnMission]


class DuelRow(BaseModel):
    """One duel: two policies on one map."""

    first: str
    second: str
    mission: str
    map: int
    seed: int
    first_score: float
    second_score: float
    result: float
    reason: Reason
    games: list[str]


class Failure(BaseModel):
    """A policy that did not play to the end in some games, with the first failure."""

    name: str
    games: int
    of_games: int
    status: str
    message: str
    step: int | None


class ReplayRow(BaseModel):
    """A replay that the report opens. `file` is relative to the ladder's folder."""

    title: str
    caption: str
    game: str
    file: str


class LadderResults(BaseModel):
    """Everything that a ladder found. The same plan gives the same document."""

    plan: dict[str, Any]
    games: int
    standings: list[Standing]
    matrix: list[list[float | None]]
    """share of the points of the row's policy against the column's, in the order of `standings`"""
    pairings: list[Pairing]
    failures: list[Failure]
    rounds: list[dict[str, Any]]
    """the rounds of a Swiss tournament"""
    duels: list[DuelRow]
    replays: list[ReplayRow] = []

    def document(self) -> dict[str, Any]:
        """Return the results as `--format` prints them."""
        return self.model_dump(mode="json")
