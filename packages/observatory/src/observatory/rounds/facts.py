"""What decisions about the rounds of a division depend on. Plain data: no tables, no clock."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from observatory.ladder.plans import GameVariant, PlannedEpisode, PlannedSeat
from observatory.ladder.rating import Standing
from observatory.leagues.ladder_settings import Ladder, LadderDivision, SettingsDocument

__all__ = [
    "ActiveRound",
    "Attempt",
    "AttemptState",
    "DivisionFacts",
    "FrozenRound",
    "LastRound",
    "Level",
    "Member",
    "RecordedWindow",
    "RoundKind",
]


class RoundKind(StrEnum):
    LADDER = "ladder"
    """the champions of a division meet"""
    GRADING = "grading"
    """new champions of a continuous league play alone"""
    QUALIFICATION = "qualification"
    """new members of a staging division play against themselves"""
    RECORDED = "recorded"
    """a window of lasting games was recorded; nothing is played"""


@dataclass(frozen=True)
class Member:
    """A member that may enter a round."""

    membership_id: uuid.UUID
    player_id: str
    policy_version_id: uuid.UUID
    preferences: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RecordedWindow:
    """An interval of lasting games: the score of each player that took part."""

    id: uuid.UUID
    scores: tuple[tuple[str, uuid.UUID, float], ...]
    """player, policy version and score, by player"""

    def document(self) -> dict[str, Any]:
        scores = [[player, str(version), score] for player, version, score in self.scores]
        return {"id": str(self.id), "scores": scores}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> RecordedWindow:
        scores = [(player, uuid.UUID(version), float(score)) for player, version, score in document["scores"]]
        return cls(uuid.UUID(document["id"]), tuple(scores))


@dataclass(frozen=True)
class FrozenRound:
    """The plan of a round, as it is stored with it. Nothing changes it."""

    kind: RoundKind
    seed: str
    coworld_id: uuid.UUID
    ladder: Ladder
    entrants: tuple[Member, ...]
    pool: tuple[uuid.UUID, ...]
    """policy versions that fill seats"""
    episodes: tuple[PlannedEpisode, ...]
    leader: int | None = None
    """the entrant that was alone at the top of the table; `leader_slot_config` applies to its seats"""
    recorded: RecordedWindow | None = None
    """what a round of a persistent league counts, in place of episodes that are played"""

    def document(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "seed": self.seed,
            "coworld_id": str(self.coworld_id),
            "ladder": self.ladder.model_dump(mode="json"),
            "entrants": [
                {
                    "membership_id": str(member.membership_id),
                    "player_id": member.player_id,
                    "policy_version_id": str(member.policy_version_id),
                    "preferences": dict(member.preferences),
                }
                for member in self.entrants
            ],
            "pool": [str(version) for version in self.pool],
            "episodes": [
                {
                    "variant_id": episode.variant_id,
                    "seed": episode.seed,
                    "seats": [[seat.entrant, seat.pool, seat.is_filler, seat.side] for seat in episode.seats],
                }
                for episode in self.episodes
            ],
            "leader": self.leader,
            "recorded": None if self.recorded is None else self.recorded.document(),
        }

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> FrozenRound:
        return cls(
            kind=RoundKind(document["kind"]),
            seed=document["seed"],
            coworld_id=uuid.UUID(document["coworld_id"]),
            ladder=Ladder.model_validate(document["ladder"]),
            entrants=tuple(
                Member(
                    uuid.UUID(member["membership_id"]),
                    member["player_id"],
                    uuid.UUID(member["policy_version_id"]),
                    member["preferences"],
                )
                for member in document["entrants"]
            ),
            pool=tuple(uuid.UUID(version) for version in document["pool"]),
            episodes=tuple(
                PlannedEpisode(
                    tuple(PlannedSeat(*seat) for seat in episode["seats"]), episode["variant_id"], episode["seed"]
                )
                for episode in document["episodes"]
            ),
            leader=document.get("leader"),
            recorded=None if document.get("recorded") is None else RecordedWindow.read(document["recorded"]),
        )


class AttemptState(StrEnum):
    OPEN = "open"
    PLAYED = "played"
    AT_FAULT = "at_fault"
    """a policy is at fault"""
    BROKEN = "broken"
    """the machines failed; another attempt may succeed"""
    FAILED = "failed"
    """the game failed, or the reason is unknown"""


@dataclass(frozen=True)
class Attempt:
    """One try to play a planned episode."""

    slot: int
    """its place in the plan"""
    state: AttemptState
    scores: tuple[float, ...] = ()
    blamed_seat: int | None = None
    error: str | None = None
    tries: int | None = None
    """how often this kind of failure may be tried in all; None for as often as the settings say"""


@dataclass(frozen=True)
class ActiveRound:
    id: uuid.UUID
    number: int
    created_at: datetime
    plan: FrozenRound
    attempts: tuple[Attempt, ...]
    """in the order of their creation"""


@dataclass(frozen=True)
class LastRound:
    """The latest round of a division."""

    number: int
    created_at: datetime
    completed_at: datetime | None
    versions: frozenset[uuid.UUID]
    """those that had entered it"""


@dataclass(frozen=True)
class Level:
    division_id: uuid.UUID
    level: int


@dataclass(frozen=True)
class DivisionFacts:
    """All that is known of one division of a platform league."""

    division_id: uuid.UUID
    league_id: uuid.UUID
    is_staging: bool
    settings: SettingsDocument
    interval_minutes: float | None
    minimum_champions: int | None
    is_paused: bool
    triggered_at: datetime | None
    active: ActiveRound | None
    last: LastRound | None
    failures: int
    """rounds that failed since the last one that did not"""
    members: tuple[Member, ...]
    """champions, or the members of a staging division that have to qualify"""
    standings: Mapping[str, Standing]
    """of those members, and of the entrants of the active round"""
    coworld_id: uuid.UUID | None
    variants: tuple[GameVariant, ...]
    """the default one first"""
    pool: tuple[uuid.UUID, ...]
    neutral_seats: int
    grades_wanted: frozenset[uuid.UUID]
    fixed: tuple[uuid.UUID, ...]
    """the partners in a grading that the league may use"""
    levels: tuple[Level, ...]
    """the open competitions of the league"""
    leader: str | None = None
    """the player that is alone at the top of the published table"""
    window: RecordedWindow | None = None
    """the oldest recorded window of exactly these members that no round has counted"""

    def rules(self) -> LadderDivision:
        """Return the rules for moves between divisions."""
        own = f"div_{self.division_id}"
        given = next((rule for rule in self.settings.ladder.divisions if rule.division_id == own), None)
        return given or LadderDivision(division_id=own)
