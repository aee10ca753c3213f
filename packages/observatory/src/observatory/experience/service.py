"""Create and cancel experience requests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import anyio.to_thread
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.coworlds import repository as coworlds
from observatory.coworlds.inspection import inspect_config, inspectors
from observatory.database import Database, new_id
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import Division, League
from observatory.database.tables.requests import (
    EpisodeRequest,
    EpisodeRequestStatus,
    ExperienceRequest,
    ExperienceStatus,
    RequestSource,
)
from observatory.errors import BadRequest, NotFound, TooManyRequests
from observatory.experience import repository
from observatory.experience.roster import Roster
from observatory.experience.schemas import ExperienceCreate, ExperienceTarget
from observatory.leagues import repository as leagues
from observatory.public_ids import parse_public_id
from observatory.requests.creation import EpisodePlan, cannot_be_played, episode_config, request_episodes
from observatory.requests.following import cancel_episode
from observatory.requests.transitions import cancel_request
from observatory.settings import Settings

__all__ = ["cancel", "check_config", "create"]

_BUSY_SECONDS = 60


@dataclass(frozen=True)
class _Played:
    """What a request is about."""

    coworld: Coworld
    league: League | None = None
    division: Division | None = None


async def check_config(database: Database, principal: Principal, body: ExperienceCreate) -> None:
    """Apply the game's schema to a configuration that differs from the variant; `BadRequest` if it refuses that.

    Authored configurations were checked when the game was uploaded. The schema may be hostile, so a sandbox applies it,
    outside of a transaction.
    """
    changed = await database.query(lambda session: _changed_config(session, principal, body))
    if changed is None:
        return
    coworld, config = changed
    schema = coworld.manifest["game"]["config_schema"]
    problem = await anyio.to_thread.run_sync(inspect_config, schema, config, len(body.roster), limiter=inspectors)
    if problem is not None:
        raise cannot_be_played(coworld, problem)


def _changed_config(
    session: Session, principal: Principal, body: ExperienceCreate
) -> tuple[Coworld, dict[str, Any]] | None:
    """Return the game and the configuration of its episodes; None for a configuration of the game's author."""
    played = _played(session, principal, body)
    variant_id = _variant(played, body)
    config = episode_config(played.coworld, variant_id, body.game_config_overrides, len(body.roster))
    variants = played.coworld.manifest.get("variants") or []
    authored = [variant["game_config"] for variant in variants if variant["id"] == variant_id]
    authored = authored or [played.coworld.manifest["certification"]["game_config"]]
    return None if config == authored[0] else (played.coworld, config)


def create(
    session: Session, principal: Principal, body: ExperienceCreate, *, settings: Settings, now: datetime
) -> ExperienceRequest:
    """Create a request with all its episodes; `BadRequest` says which part of it is not possible."""
    if body.state is not None or body.game_config_overlay_secret is not None:
        name = "state" if body.state is not None else "game_config_overlay_secret"
        raise BadRequest(f"This server plays episodes without `{name}`; leave it out")
    waiting = repository.unfinished_count(session, principal.user_id)
    limit = settings.max_requested_episodes_per_user
    if waiting + body.num_episodes > limit:
        raise TooManyRequests(
            f"You have {waiting} episodes that are not over yet; with these there would be more than {limit}",
            retry_after=_BUSY_SECONDS,
        )
    played = _played(session, principal, body)
    variant_id = _variant(played, body)
    roster = Roster(session, principal, played.league, played.division)
    players = [player["id"] for player in played.coworld.manifest.get("player", [])]
    seats = roster.episodes(body.roster, body.num_episodes, players)
    request = ExperienceRequest(
        id=new_id(),
        user_id=principal.user_id,
        player_id=principal.player_id,
        coworld_id=played.coworld.id,
        league_id=None if played.league is None else played.league.id,
        division_id=None if played.division is None else played.division.id,
        variant_id=variant_id,
        title=body.title,
        description=body.description,
        requested=body.model_dump(mode="json"),
        status=ExperienceStatus.PENDING,
        episode_count=body.num_episodes,
        created_at=now,
    )
    session.add(request)
    session.flush()
    plans = [EpisodePlan(row, variant_id=variant_id, game_config_overrides=body.game_config_overrides) for row in seats]
    request_episodes(
        session,
        played.coworld,
        plans,
        source=RequestSource.EXPERIENCE,
        user_id=principal.user_id,
        now=now,
        experience_request=request,
    )
    return request


def cancel(session: Session, request: ExperienceRequest, *, now: datetime) -> None:
    """Cancel the episodes that wait for a worker. Those that are played are finished, but not played again."""
    if not cancel_request(session, request, now=now):
        return
    waiting = (
        select(EpisodeRequest, Job)
        .join(Job, Job.id == EpisodeRequest.job_id)
        .where(
            EpisodeRequest.experience_request_id == request.id, EpisodeRequest.status == EpisodeRequestStatus.PENDING
        )
    )
    for episode, job in session.execute(waiting.order_by(EpisodeRequest.number)).all():
        cancel_episode(session, episode, job, now=now)


def _played(session: Session, principal: Principal, body: ExperienceCreate) -> _Played:
    target = body.target or ExperienceTarget()
    coworld_id = target.coworld_id or body.coworld_id
    league, division = _league(session, principal, target)
    try:
        coworld = None if coworld_id is None else coworlds.coworld(session, coworld_id, principal)
    except NotFound as problem:
        raise BadRequest(problem.message) from None
    if league is not None and coworld is None:
        coworld = leagues.played_coworld(session, league)
        if coworld is None:
            raise BadRequest(f"The league {league.name!r} has no version of its game that it could play")
    if coworld is None:
        raise BadRequest("Say what to play: `coworld_id`, or a league or division in `target`")
    return _Played(coworld, league, division)


def _league(session: Session, principal: Principal, target: ExperienceTarget) -> tuple[League | None, Division | None]:
    """Return the league and the division of a target, by id or by name."""
    league: League | None = None
    division: Division | None = None
    try:
        if target.league_id is not None:
            league = leagues.league(session, parse_public_id("league", target.league_id), principal)
        elif target.league_name is not None:
            league = _league_by_name(session, principal, target.league_name)
        if target.division_id is not None:
            division = leagues.division(session, parse_public_id("div", target.division_id), principal)
    except NotFound as problem:
        raise BadRequest(problem.message) from None
    if target.division_name is not None:
        if league is None:
            raise BadRequest("`division_name` needs `league_id` or `league_name`")
        named = (Division.league_id == league.id, func.lower(Division.name) == target.division_name.lower())
        shown = leagues.visible_divisions(principal)
        division = session.scalar(select(Division).join(Division.league).where(*named, shown))
        if division is None:
            raise BadRequest(f"The league {league.name!r} has no division {target.division_name!r}")
    if division is not None and league is not None and division.league_id != league.id:
        raise BadRequest(f"The division {division.name!r} is not part of the league {league.name!r}")
    if league is None and division is not None:
        league = leagues.league(session, division.league_id, principal)
    return league, division


def _league_by_name(session: Session, principal: Principal, name: str) -> League:
    found = [league for league in leagues.leagues(session, principal) if league.name.lower() == name.lower()]
    if len(found) != 1:
        raise BadRequest(f"There is no league {name!r}" if not found else f"Several leagues are called {name!r}")
    return found[0]


def _variant(played: _Played, body: ExperienceCreate) -> str | None:
    """Return the variant: the requested one, else that of the league, else the first of the game."""
    requested = body.variant_id or (body.target.variant_id if body.target is not None else None)
    if requested is not None:
        return requested
    if played.league is not None and played.league.default_variant_id is not None:
        return played.league.default_variant_id
    variants = played.coworld.manifest.get("variants") or []
    return variants[0]["id"] if variants else None
