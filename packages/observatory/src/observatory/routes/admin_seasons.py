"""Seasons for operators; `observatory admin season` and the pages of administrators call these."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import anyio.to_thread
from fastapi import Path
from sqlalchemy.orm import Session

from observatory.accounts import audit
from observatory.accounts.principal import Principal
from observatory.administration import season_form, season_life, season_preview
from observatory.administration.season_form import SeasonForm, SeasonFormChecked, SeasonFormText
from observatory.administration.season_life import SeasonLifeRead
from observatory.clock import Now
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.database.tables.seasons import Season, SeasonLife
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, ObservatoryError, Unauthorized, errors
from observatory.http.callers import Admin
from observatory.http.routing import Router, body_rule
from observatory.jobs import workers_seen
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
from observatory.seasons.config import SeasonPreset
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

    def create(session: Session) -> SeasonChanged:
        outcome = administration.create(session, description, now=now, draft=body.draft)
        return _changed(session, outcome, admin, "create", now)

    return await database.write(create)


@router.post("/check", responses=errors(Unauthorized, Forbidden))
@own_transactions
@body_rule(MEGABYTE)
async def check_season(body: SeasonText, admin: Admin, database: DatabaseDep) -> SeasonChecked:
    """Check whether a text describes a season, and report what saving it would do."""
    try:
        description = await anyio.to_thread.run_sync(administration.describe, body.yaml)
    except ObservatoryError as problem:
        return SeasonChecked(good=False, sentence=problem.message)

    return await database.query(lambda session: _effect(session, description.preset, body.yaml))


@router.get("/form", responses=errors(Unauthorized, Forbidden))
def read_season_form(admin: Admin) -> SeasonForm:
    """Return the fields of the form for a season, with their defaults, and the document of a new season."""
    return season_form.season_form()


@router.post("/preview", responses=errors(Unauthorized, Forbidden))
@own_transactions
@body_rule(MEGABYTE)
async def preview_season(body: SeasonFormText, admin: Admin, database: DatabaseDep, now: Now) -> SeasonFormChecked:
    """Check a season from the form or its YAML: the problems at their fields, its schedule and its cost."""
    checked = await anyio.to_thread.run_sync(season_form.check_form, body)
    preset = checked.preset
    if preset is None:
        number = len(checked.problems)
        sentence = "1 problem" if number == 1 else f"{number} problems"
        return SeasonFormChecked(
            good=False,
            sentence=sentence,
            problems=checked.problems,
            yaml=checked.yaml,
            document=checked.document,
            preview=None,
        )

    def look(session: Session) -> SeasonFormChecked:
        workers = workers_seen.count(session, now)
        return SeasonFormChecked(
            good=True,
            sentence=_effect(session, preset, checked.yaml).sentence,
            problems=[],
            yaml=checked.yaml,
            document=checked.document,
            preview=season_preview.preview(session, preset, policies=body.policies, workers=workers),
        )

    return await database.query(look)


def _effect(session: Session, preset: SeasonPreset, yaml: str) -> SeasonChecked:
    """Return what saving a season would do."""
    existing = next((s for s in repository.all_versions(session) if s.name == preset.name and s.canonical), None)
    if existing is None:
        return SeasonChecked(good=True, change="create", sentence=f"{preset.name} would be a new season")
    before = preset_of(existing)
    if existing.life is SeasonLife.DRAFT:
        return SeasonChecked(good=True, change="edit", sentence=f"The draft of {preset.name} would change")
    if not preset.plays_as(before):
        sentence = f"{preset.name} would have a new version {existing.version + 1}, and {existing.version} would end"
        return SeasonChecked(good=True, change="new_version", sentence=sentence)
    is_same = preset == before and existing.source == yaml
    sentence = (
        "nothing would change" if is_same else f"{preset.name}, version {existing.version}, would change in place"
    )
    return SeasonChecked(good=True, change="unchanged" if is_same else "edit", sentence=sentence)


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

    def edit(session: Session) -> SeasonChanged:
        outcome = administration.edit(session, repository.season(session, reference, admin), description, now=now)
        return _changed(session, outcome, admin, "edit", now)

    return await database.write(edit)


@router.post("/{season}/start", responses=errors(BadRequest, *_REFUSALS))
def start_season(reference: Reference, session: SessionDep, admin: Admin, now: Now) -> SeasonChanged:
    """Begin a team season."""
    season = repository.season(session, reference, admin)
    progress.start(session, season, now=now)
    _audit(session, admin, "start", season, now)
    sentence = f"Started {season.name}, version {season.version}"
    return SeasonChanged(name=season.name, version=season.version, change="started", sentence=sentence)


@router.post("/{season}/roll", responses=errors(*_REFUSALS))
def roll_season(reference: Reference, session: SessionDep, admin: Admin, now: Now) -> SeasonChanged:
    """Make the next version, with fresh pools and a fresh hidden seed. The one before it has ended."""
    outcome = administration.roll(session, repository.season(session, reference, admin), now=now)
    return _changed(session, outcome, admin, "roll", now)


@router.post("/{season}/close", responses=errors(*_REFUSALS))
def close_season(
    reference: Reference, session: SessionDep, admin: Admin, now: Now, body: SeasonClose | None = None
) -> SeasonChanged:
    """Close a season: stop submissions and new matches, and cancel the matches that wait."""
    season, body = repository.season(session, reference, admin), body or SeasonClose()
    by = admin.user.shown_name
    outcome = administration.close(session, season, final=body.final, now=now, by=by, reason=body.reason)
    return _changed(session, outcome, admin, "end" if body.final else "close", now, reason=body.reason or None)


@router.post("/{season}/open", responses=errors(*_REFUSALS))
def open_season(reference: Reference, session: SessionDep, admin: Admin, now: Now) -> SeasonChanged:
    """Open a draft, or reopen a closed season: its cancelled matches are scheduled again."""
    outcome = season_life.open_or_reopen(session, repository.season(session, reference, admin), now=now)
    return _changed(session, outcome, admin, "open", now)


@router.post("/{season}/draft", responses=errors(*_REFUSALS))
def make_season_draft(reference: Reference, session: SessionDep, admin: Admin, now: Now) -> SeasonChanged:
    """Make a season without policies a draft again."""
    outcome = administration.back_to_draft(session, repository.season(session, reference, admin), now=now)
    return _changed(session, outcome, admin, "draft", now)


@router.post("/{season}/unstart", responses=errors(*_REFUSALS))
def undo_season_start(reference: Reference, session: SessionDep, admin: Admin, now: Now) -> SeasonChanged:
    """Undo the start of a team season that has no match yet."""
    outcome = season_life.undo_start(session, repository.season(session, reference, admin))
    return _changed(session, outcome, admin, "unstart", now)


@router.get("/{season}/life", responses=errors(Unauthorized, Forbidden, NotFound))
def read_season_life(reference: Reference, session: SessionDep, admin: Admin) -> SeasonLifeRead:
    """Return the steps that a season can take now, with the consequences of each."""
    return season_life.life_of(session, repository.season(session, reference, admin))


def _changed(
    session: Session, outcome: Outcome, admin: Principal, action: str, now: datetime, **details: str | None
) -> SeasonChanged:
    season = outcome.season
    if outcome.change != "unchanged":
        _audit(session, admin, action, season, now, **details)
    return SeasonChanged(name=season.name, version=season.version, change=outcome.change, sentence=outcome.sentence)


def _audit(
    session: Session, admin: Principal, action: str, season: Season, now: datetime, **details: str | None
) -> None:
    audit.record(
        session, admin.user_id, f"season.{action}", now=now, season=f"{season.name}:v{season.version}", **details
    )


def _season(season: Season) -> AdminSeason:
    return AdminSeason(
        id=season.id,
        name=season.name,
        version=season.version,
        display_name=season.display_name,
        tournament_type=season.tournament_type,
        status=season.status,
        life=season.life,
        canonical=season.canonical,
        public=season.public,
        is_default=season.is_default,
        compat_version=season.compat_version,
        auto_roll_hour_utc=season.auto_roll_hour_utc,
        seed=visible_seed(season, season.seed),
        created_at=season.created_at,
        opened_at=season.opened_at,
        started_at=season.started_at,
        completed_at=season.completed_at,
        disabled_at=season.disabled_at,
    )
