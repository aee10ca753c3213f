"""Request and response schemas of seasons for operators."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from observatory.database.tables.seasons import SeasonLife, SeasonStatus, TournamentType
from observatory.wire import Body

__all__ = ["AdminSeason", "SeasonChanged", "SeasonChecked", "SeasonClose", "SeasonSource", "SeasonText"]


class AdminSeason(BaseModel):
    """One version of a season. `seed` is null until the version has ended; then it has decimal digits."""

    id: uuid.UUID
    name: str
    version: int
    display_name: str
    tournament_type: TournamentType
    status: SeasonStatus
    life: SeasonLife
    canonical: bool
    public: bool
    is_default: bool
    compat_version: str | None
    auto_roll_hour_utc: int | None
    seed: str | None
    created_at: datetime
    opened_at: datetime | None
    started_at: datetime | None
    completed_at: datetime | None
    disabled_at: datetime | None


class SeasonText(Body):
    """A season as YAML. A draft is visible to administrators only, until it is opened."""

    yaml: str = Field(max_length=200_000)
    draft: bool = Field(default=False, description="of a new season")


class SeasonSource(BaseModel):
    """A season as YAML, and which one it is."""

    yaml: str
    name: str
    version: int


class SeasonChecked(BaseModel):
    """Whether a text describes a season. `sentence` names the first mistake and its place, or the effect of saving."""

    good: bool
    sentence: str
    change: Literal["create", "edit", "new_version", "unchanged"] | None = None


class SeasonChanged(BaseModel):
    """The change to a season: texts change in place, changed rules create a new version."""

    name: str
    version: int
    change: Literal["created", "edited", "unchanged", "new_version", "closed", "opened", "started", "draft"]
    sentence: str


class SeasonClose(Body):
    """`final` ends the season permanently: it cannot be reopened, and its seeds become public."""

    final: bool = False
    reason: str = Field(default="", max_length=1000, description="shown with the matches that it cancels")
