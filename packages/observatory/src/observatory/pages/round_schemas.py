"""Responses for the page of a round."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from observatory.pages.league_schemas import CoworldRef, DivisionRef, LeagueRef, PlayerRef, RoundLine
from observatory.pages.schemas import PolicyRef

__all__ = [
    "EpisodeSeatLine",
    "EpisodeTry",
    "PairingCell",
    "Pairings",
    "RoundCommissioner",
    "RoundEntrant",
    "RoundEpisode",
    "RoundEpisodes",
    "RoundFact",
    "RoundMove",
    "RoundPage",
    "RoundResultLine",
]


class RoundEntrant(BaseModel):
    player: PlayerRef | None
    policy: PolicyRef


class RoundResultLine(BaseModel):
    rank: int
    player: PlayerRef | None
    policy: PolicyRef
    score: float
    rating_before: float | None
    rating_after: float | None
    episodes: int | None
    forfeits: int | None
    won: float | None
    """the share of its meetings that it has won"""


class RoundMove(BaseModel):
    """A promotion, relegation, retirement or disqualification that followed from the round."""

    kind: str
    headline: str
    why: str
    player: PlayerRef | None


class RoundFact(BaseModel):
    name: str
    text: str


class RoundCommissioner(BaseModel):
    """The output of the commissioner of a round."""

    notes: str | None
    warnings: list[str]
    rule: str | None
    rule_description: str | None
    observed: list[dict[str, Any]]
    """for each entrant how its result came about"""
    render_url: str | None
    """its own report: a third-party page, shown without scripts"""
    facts: list[RoundFact]
    """other keys of the round's display"""


class RoundPage(RoundLine):
    """A round with its results."""

    league: LeagueRef
    game: CoworldRef
    previous_id: str | None
    next_id: str | None
    structure: str
    """how seats are drawn, in words"""
    ranking: str | None
    rating_label: str | None
    retries: int
    """attempts beyond the first of each episode"""
    participants: list[RoundEntrant]
    results: list[RoundResultLine]
    moves: list[RoundMove]
    commissioner: RoundCommissioner | None
    may_manage: bool


class EpisodeSeatLine(BaseModel):
    position: int
    player: PlayerRef | None
    policy: PolicyRef | None
    """None for a player of the game itself"""
    name: str
    """of a player of the game itself"""
    score: float | None
    is_filler: bool
    """its score does not count"""
    side: int | None
    won: bool
    at_fault: bool


class EpisodeTry(BaseModel):
    """An attempt to play an episode that failed before the shown one."""

    id: str
    status: str
    error: str | None
    error_type: str | None


class RoundEpisode(BaseModel):
    """An episode of a round; its page is `/observatory/episodes/{id}`."""

    id: str
    number: int
    """its place in the round, from 1"""
    label: str | None
    """as the commissioner calls it"""
    status: str
    variant_id: str | None
    seats: list[EpisodeSeatLine]
    drawn: bool
    error: str | None
    error_type: str | None
    earlier: list[EpisodeTry]
    completed_at: datetime | None


class RoundEpisodes(BaseModel):
    rows: list[RoundEpisode]
    total: int


class PairingCell(BaseModel):
    """Meetings of two entrants, seen from the first; both are positions in `entrants`."""

    first: int
    second: int
    won: int
    drawn: int
    lost: int
    episode_id: str
    """the last one"""


class Pairings(BaseModel):
    """The meetings of entrants in a round, with their results. Only pairs that have met are listed, once each."""

    division: DivisionRef
    entrants: list[RoundEntrant]
    cells: list[PairingCell]
