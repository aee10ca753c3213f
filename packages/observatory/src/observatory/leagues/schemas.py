"""Requests about leagues; the responses are in `softmax.wire.leagues`."""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Self

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from observatory.database.tables.leagues import AutoChampion, DivisionType
from observatory.wire import Body

__all__ = [
    "Cancellation",
    "DivisionsUpdate",
    "GradesWanted",
    "LocksUpdate",
    "PowerRequest",
    "RebindRequest",
    "Retirement",
    "RoundsPaused",
    "SeedCreate",
    "SeedPoliciesUpdate",
    "SeedUpdate",
    "SetupRequest",
    "SubmissionCreate",
    "WindowCreate",
]

MAX_DIVISIONS = 50
MAX_LEVEL = 1_000_000

_Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
_Text = Annotated[str, StringConstraints(max_length=4000, pattern=r"^[^\x00]*$")]
_Id = Annotated[str, StringConstraints(max_length=200)]


class LocksUpdate(Body):
    submissions_locked: bool
    game_version_locked: bool


class DivisionWanted(Body):
    name: _Name
    level: int = Field(ge=-MAX_LEVEL, le=MAX_LEVEL)
    type: DivisionType = DivisionType.COMPETITION
    hidden: bool = False
    description: _Text | None = None


class DivisionsUpdate(Body):
    """All divisions of a league."""

    divisions: list[DivisionWanted] = Field(max_length=MAX_DIVISIONS)


class RoundsPaused(Body):
    paused: bool


class GradesWanted(Body):
    """Champions to grade again; all of them if none is named."""

    idempotency_key: _Id = Field(min_length=1)
    policy_version_ids: list[uuid.UUID] = Field(default_factory=list, max_length=1000)


class WindowEpisode(Body):
    """The game of one player in a window."""

    player_id: _Id
    policy_version_id: uuid.UUID
    score: float = Field(ge=-1e12, le=1e12)
    game_results: dict[str, Any] = Field(default_factory=dict)
    replay_url: Annotated[str, StringConstraints(max_length=2000, pattern=r"^https?://")] | None = None


class WindowCreate(Body):
    """An interval of lasting games."""

    source_id: _Name
    started_at: AwareDatetime
    ended_at: AwareDatetime
    episodes: list[WindowEpisode] = Field(min_length=1, max_length=1000)

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if self.ended_at <= self.started_at:
            raise ValueError("ended_at is not after started_at")
        if len({row.player_id for row in self.episodes}) != len(self.episodes):
            raise ValueError("a player occurs twice")
        return self


class Cancellation(Body):
    reason: _Text | None = None


class SeedPoliciesUpdate(Body):
    policy_version_ids: list[uuid.UUID] = Field(max_length=100)
    count: int = Field(ge=0, le=100)


class SetupRequest(Body):
    approve: bool = False
    revision: _Id | None = None


class SubmissionCreate(Body):
    league_id: _Id
    policy_version_id: uuid.UUID
    auto_champion: AutoChampion = AutoChampion.ALWAYS
    preferences: dict[str, Any] | None = None
    player_id: _Id | None = None


class Retirement(Body):
    reason: _Text | None = None


class Decision(Body):
    """Why the owner of a league disqualifies or restores a member; everyone sees it."""

    reason: _Text = Field(min_length=1)


class SeedCreate(Body):
    """A league to be created. Older clients send the Coworld's name, the template and the overrides only."""

    coworld_name: _Name
    league_key: _Name = "default"
    league_name: _Name | None = None
    default_variant_id: _Name | None = None
    template: _Name = "commissioner_driven"
    overrides: dict[str, Any] | None = None
    enabled: bool = True


class SeedUpdate(Body):
    """Changes of a seed; a field that is absent stays as it is."""

    overrides: dict[str, Any] | None = None
    default_variant_id: _Name | None = None


class RebindChange(Body):
    seed_id: _Id
    coworld_name: _Name
    league_key: _Name


class RebindRequest(Body):
    dry_run: bool = True
    changes: list[RebindChange] = Field(min_length=1, max_length=100)


class PowerRequest(Body):
    alpha: float = Field(default=0.05, ge=1e-9, le=0.5)
    power: float = Field(default=0.8, ge=0.5, le=1 - 1e-9)
    policy_ref: _Name | None = None
    elo_grid: list[Annotated[float, Field(ge=0.1, le=4000)]] | None = Field(default=None, min_length=1, max_length=50)
