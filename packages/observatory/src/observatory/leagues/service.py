"""What the owner of a league decides: locks, settings, divisions, pauses and neutral seats."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts.principal import Principal
from observatory.database.tables.leagues import Division, DivisionType, League
from observatory.errors import Conflict, Unprocessable
from observatory.events import Change, ChangeKind
from observatory.jobs.shares import league_group, set_group
from observatory.leagues import repository
from observatory.leagues.competition_events import publish_league_event
from observatory.leagues.ladder_settings import SettingsDocument
from observatory.leagues.schemas import DivisionsUpdate, DivisionWanted, LocksUpdate, SeedPoliciesUpdate
from observatory.policies.service import own_version
from observatory.public_ids import parse_public_id
from softmax.wire.leagues import LeagueLocks, LeagueSettings

__all__ = [
    "changed",
    "locks",
    "pause_rounds",
    "replace_settings",
    "set_divisions",
    "set_locks",
    "set_seed_policies",
    "settings_of",
]


def changed(session: Session, league: League) -> None:
    """Report a change of a league."""
    session.flush()
    events.note(session, Change(ChangeKind.LEAGUE, ids=frozenset({league.id})))


def locks(session: Session, league: League) -> LeagueLocks:
    canonical = repository.canonical_coworld(session, league.game.coworld_name)
    played = repository.played_coworld(session, league)
    is_locked = league.locked_coworld_id is not None
    return LeagueLocks(
        submissions_locked=league.submissions_locked_at is not None,
        submissions_locked_at=league.submissions_locked_at,
        game_version_locked=is_locked,
        locked_game_version=played.version if is_locked and played is not None else None,
        canonical_game_version="" if canonical is None else canonical.version,
    )


def set_locks(session: Session, league: League, body: LocksUpdate, *, now: datetime) -> None:
    """Set both locks. A lock that is set already keeps its time and its version."""
    if not body.submissions_locked:
        league.submissions_locked_at = None
    elif league.submissions_locked_at is None:
        league.submissions_locked_at = now
    if not body.game_version_locked:
        league.locked_coworld_id = None
    elif league.locked_coworld_id is None:
        canonical = repository.canonical_coworld(session, league.game.coworld_name)
        if canonical is None:
            raise Conflict(f"Coworld {league.game.coworld_name!r} has no canonical version to lock yet")
        league.locked_coworld_id = canonical.id
    changed(session, league)


def settings_of(league: League) -> LeagueSettings:
    document = SettingsDocument.model_validate(league.settings)
    return LeagueSettings(
        settings=league.settings,
        effective_ladder_config=document.effective_ladder(),
        round_interval_minutes=document.round_interval_minutes,
        revision=league.settings_revision,
    )


def replace_settings(session: Session, league: League, body: dict[str, Any], *, if_match: str | None) -> None:
    """Replace the settings of a league, if `if_match` is absent or names the current revision."""
    revision = str(league.settings_revision)
    if if_match is not None and if_match.strip() not in ("*", revision, f'"{revision}"'):
        raise Conflict(f"The settings changed meanwhile: their revision is {revision}; read them and try again")
    try:
        document = SettingsDocument.model_validate(body)
    except ValidationError as error:
        raise Unprocessable(_sentence(error)) from None
    known = {row.id for row in league.divisions}
    for division in document.ladder.divisions:
        if parse_public_id("div", division.division_id, error=Unprocessable) not in known:
            raise Unprocessable(f"{division.division_id} is not a division of this league")
    if not league.settings.get("ladder", {}).get("enabled") and document.ladder.enabled:
        for row in league.divisions:
            row.leaderboards = None  # what another commissioner published does not count on this ladder
    league.settings = document.stored()
    set_group(session, league_group(league.id), worker_labels=document.worker_labels)
    league.settings_revision += 1
    changed(session, league)


def _sentence(error: ValidationError) -> str:
    """Say in one sentence where the first problem is."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"There is no setting {place}"
    return f"{place}: {first['msg']}" if place else first["msg"]


def set_divisions(session: Session, league: League, body: DivisionsUpdate, *, now: datetime) -> Sequence[Division]:
    """Make the divisions of a league those of a list; archive the others. The same list again changes nothing."""
    wanted = {division.name: division for division in body.divisions}
    if len(wanted) != len(body.divisions):
        raise Unprocessable("Two divisions have the same name")
    existing = {division.name: division for division in league.divisions}
    for name, division in existing.items():
        if name not in wanted and division.archived_at is None:
            _archive(session, division, now=now)
    for name, target in wanted.items():
        if name in existing:
            _update(existing[name], target)
        else:
            _add(session, league, target, now=now)
    changed(session, league)
    session.expire(league, ["divisions"])
    return [division for division in league.divisions if division.archived_at is None]


def _archive(session: Session, division: Division, *, now: datetime) -> None:
    members = repository.member_counts(session, [division.id]).get(division.id, 0)
    if members:
        raise Conflict(f"Division {division.name!r} has {members} live members, so it cannot be left out")
    if repository.has_active_round(session, division.id):
        raise Conflict(f"A round of division {division.name!r} has not ended, so it cannot be left out")
    division.archived_at = now


def _update(division: Division, target: DivisionWanted) -> None:
    division.level, division.type, division.hidden = target.level, target.type, target.hidden
    division.description, division.archived_at = target.description, None


def _add(session: Session, league: League, target: DivisionWanted, *, now: datetime) -> None:
    session.add(
        Division(
            league_id=league.id,
            name=target.name,
            level=target.level,
            type=target.type,
            hidden=target.hidden,
            description=target.description,
            created_at=now,
        )
    )


def ensure_competition(session: Session, league: League, *, now: datetime) -> Division:
    """Return the lowest competition of a league; create one if it has none."""
    open_divisions = [division for division in league.divisions if division.archived_at is None]
    competitions = [division for division in open_divisions if division.type is DivisionType.COMPETITION]
    if competitions:
        return min(competitions, key=lambda division: division.level)
    target = DivisionWanted(name="Competition", level=1)
    archived = next((division for division in league.divisions if division.name == target.name), None)
    if archived is not None:
        _update(archived, target)
    else:
        _add(session, league, target, now=now)
    session.flush()
    session.expire(league, ["divisions"])
    return next(division for division in league.divisions if division.name == target.name)


def pause_rounds(session: Session, league: League, *, paused: bool, now: datetime) -> None:
    """Start no more rounds, or start them again; a round that has begun ends as usual."""
    if paused == (league.rounds_paused_at is not None):
        return
    league.rounds_paused_at = now if paused else None
    kind, verb = ("league_paused", "paused") if paused else ("league_resumed", "resumed")
    publish_league_event(session, kind, league, f"Rounds of {league.name} are {verb}", now=now)  # type: ignore[arg-type]
    changed(session, league)


def set_seed_policies(session: Session, principal: Principal, league: League, body: SeedPoliciesUpdate) -> None:
    """Choose the versions for neutral seats; they belong to the caller."""
    if body.count > len(set(body.policy_version_ids)):
        raise Unprocessable(f"{body.count} seats need as many different policy versions")
    for policy_version_id in body.policy_version_ids:
        own_version(session, principal, policy_version_id)
    league.seed_policies = {
        "policy_version_ids": [str(policy_version_id) for policy_version_id in body.policy_version_ids],
        "count": body.count,
    }
    changed(session, league)
