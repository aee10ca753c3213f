"""Seasons for operators; `observatory admin season` and the pages of administrators call these."""

from __future__ import annotations

from typing import Annotated

import anyio.to_thread
from fastapi import Path
from sqlalchemy.orm import Session

from observatory.clock import Now
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.database.tables.seasons import Season
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, ObservatoryError, Unauthorized, errors
from observatory.http.callers import Admin
from observatory.http.routing import Router, body_rule
from observatory.seasons import administration, repository
from observatory.seasons.admin_schemas import (
    AdminSeason,
    SeasonChanged,
    SeasonChecked,
    SeasonClose,
    SeasonSource,
    SeasonText,
)
from observatory.seasons.administration import Outcome
from observatory.seasons.sources import preset_of
from observatory.secrecy import visible_seed
from observatory.settings import MEGABYTE
from observatory.standings import progress

__all__ = ["router"]

router = Router(prefix="/observatory/api/admin/seasons", tags=["administration"])

Reference = Annotated[str, Path(alias="season", max_length=200, description="`name`, `name:v3` or `name:3`")]
_REFUSALS = (Unauthorized, Forbidden, NotFound, Conflict)


@router.get("", responses=errors(Unauthorized, Forbidden))
def list_admin_seasons(session: SessionDep, admin: Admin) -> list[AdminSeason]:
    """Return every version of every season, by name, newest first."""
    return [_season(season) for season in repository.all_versions(session)]


@router.post("", status_code=201, responses=errors(*_REFUSALS))
@own_transactions
@body_rule(MEGABYTE)
async def create_season(body: SeasonText, admin: Admin, database: DatabaseDep, now: Now) -> SeasonChanged:
    """Make a season from YAML."""
    description = await anyio.to_thread.run_sync(administration.describe, body.yaml)
    return await database.write(lambda session: _changed(administration.create(session, description, now=now)))


@router.post("/check", responses=errors(Unauthorized, Forbidden))
@own_transactions
@body_rule(MEGABYTE)
async def check_season(body: SeasonText, admin: Admin, database: DatabaseDep) -> SeasonChecked:
    """Check whether a text describes a season, and report what saving it would do."""
    try:
        description = await anyio.to_thread.run_sync(administration.describe, body.yaml)
    except ObservatoryError as problem:
        return SeasonChecked(good=False, sentence=problem.message)

    def compare(session: Session) -> SeasonChecked:
        preset = description.preset
        existing = next((s for s in repository.all_versions(session) if s.name == preset.name and s.canonical), None)
        if existing is None:
            return SeasonChecked(good=True, change="create", sentence=f"{preset.name} would be a new season")
        if not preset.plays_as(preset_of(existing)):
            sentence = (
                f"{preset.name} would have a new version {existing.version + 1}, and {existing.version} would end"
            )
            return SeasonChecked(good=True, change="new_version", sentence=sentence)
        is_same = preset == preset_of(existing) and existing.source == body.yaml
        sentence = (
            "nothing would change" if is_same else f"{preset.name}, version {existing.version}, would change in place"
        )
        return SeasonChecked(good=True, change="unchanged" if is_same else "edit", sentence=sentence)

    return await database.query(compare)


@router.get("/{season}/yaml", responses=errors(Unauthorized, Forbidden, NotFound))
def read_season_yaml(reference: Reference, session: SessionDep, admin: Admin) -> SeasonSource:
    """Return the season as YAML, to be changed and sent back, or kept."""
    season = repository.season(session, reference, admin)
    return SeasonSource(name=season.name, version=season.version, yaml=administration.source_of(season))


@router.put("/{season}/yaml", responses=errors(*_REFUSALS))
@own_transactions
@body_rule(MEGABYTE)
async def write_season_yaml(
    reference: Reference, body: SeasonText, admin: Admin, database: DatabaseDep, now: Now
) -> SeasonChanged:
    """Change a season. Texts change in place; changed rules create a new version."""
    description = await anyio.to_thread.run_sync(administration.describe, body.yaml)
    return await database.write(
        lambda session: _changed(
            administration.edit(session, repository.season(session, reference, admin), description, now=now)
        )
    )


@router.post("/{season}/start", responses=errors(BadRequest, *_REFUSALS))
def start_season(reference: Reference, session: SessionDep, admin: Admin, now: Now) -> SeasonChanged:
    """Begin a team season."""
    season = repository.season(session, reference, admin)
    progress.start(session, season, now=now)
    sentence = f"Started {season.name}, version {season.version}"
    return SeasonChanged(name=season.name, version=season.version, change="started", sentence=sentence)


@router.post("/{season}/roll", responses=errors(*_REFUSALS))
def roll_season(reference: Reference, session: SessionDep, admin: Admin, now: Now) -> SeasonChanged:
    """Make the next version, with fresh pools and a fresh hidden seed. The one before it has ended."""
    return _changed(administration.roll(session, repository.season(session, reference, admin), now=now))


@router.post("/{season}/close", responses=errors(*_REFUSALS))
def close_season(
    reference: Reference, session: SessionDep, admin: Admin, now: Now, body: SeasonClose | None = None
) -> SeasonChanged:
    """Close a season: stop submissions and new matches."""
    season = repository.season(session, reference, admin)
    return _changed(administration.close(session, season, final=body is not None and body.final, now=now))


@router.post("/{season}/open", responses=errors(*_REFUSALS))
def open_season(reference: Reference, session: SessionDep, admin: Admin) -> SeasonChanged:
    """Reopen a closed season."""
    return _changed(administration.reopen(session, repository.season(session, reference, admin)))


def _changed(outcome: Outcome) -> SeasonChanged:
    season = outcome.season
    return SeasonChanged(name=season.name, version=season.version, change=outcome.change, sentence=outcome.sentence)


def _season(season: Season) -> AdminSeason:
    return AdminSeason(
        id=season.id,
        name=season.name,
        version=season.version,
        display_name=season.display_name,
        tournament_type=season.tournament_type,
        status=season.status,
        canonical=season.canonical,
        public=season.public,
        is_default=season.is_default,
        compat_version=season.compat_version,
        auto_roll_hour_utc=season.auto_roll_hour_utc,
        seed=visible_seed(season, season.seed),
        created_at=season.created_at,
        started_at=season.started_at,
        completed_at=season.completed_at,
        disabled_at=season.disabled_at,
    )
