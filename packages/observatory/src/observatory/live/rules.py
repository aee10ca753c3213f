"""Decide whether and how a match may be watched while it is played. Only this module decides that."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from urllib.parse import quote

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from observatory.database.tables.friendlies import Friendly, FriendlyStatus
from observatory.database.tables.matches import Match, MatchStatus
from observatory.database.tables.requests import EpisodeRequest, RequestSource
from observatory.database.tables.seasons import EnvConfig, Pool, Season
from observatory.games import DEFAULT_ENGINE
from observatory.seasons.config import Live

__all__ = [
    "LIVE",
    "LiveRule",
    "friendly_address",
    "friendly_engine",
    "friendly_rule",
    "is_shown",
    "rule_of_job",
    "season_engine",
    "season_rule",
    "shows_itself",
    "viewer_of",
    "watch_address",
]

LIVE = "/observatory/live/matches/"
"""the path of the socket of a match, before its id"""
VIEWER = "/observatory/viewer/"


@dataclass(frozen=True)
class LiveRule:
    """The match may be watched, this much later than it is played, with or without secrets such as roles."""

    delay_seconds: float = 0.0
    hides_secrets: bool = False


def season_rule(season: Season) -> LiveRule | None:
    """Return the rule of a season; None if its matches are shown only after their end."""
    live = Live.model_validate(season.config.get("live", {}))
    return LiveRule(live.delay_seconds, live.hide_secrets) if live.watch else None


def watch_address(match: Match) -> str | None:
    """Return the address of the viewer with a match that is being played and may be watched; None otherwise."""
    season = match.pool.season
    if match.status is not MatchStatus.RUNNING or season_rule(season) is None:
        return None
    return _viewer(season_engine(season), f"{LIVE}{match.id}" + ("" if season.public else "?elevated=1"))


def shows_itself(session: Session, job_id: uuid.UUID) -> bool:
    """Return whether a job plays an episode of a game that people may watch on its own page.

    The game of a lobby has a place for spectators of its own.
    """
    statement = select(EpisodeRequest.id).where(EpisodeRequest.job_id == job_id, is_shown())
    return session.scalar(statement) is not None


def is_shown() -> ColumnElement[bool]:
    """Return the condition for episodes that can be watched while they are played."""
    return EpisodeRequest.source != RequestSource.LOBBY


def rule_of_job(session: Session, job_id: uuid.UUID) -> tuple[uuid.UUID, LiveRule] | None:
    """Return the match of a job whose worker may send rows while it plays, and the rule; None for other jobs."""
    statement = select(Match.id, Season).join(Match.pool).join(Pool.season).where(Match.job_id == job_id)
    found = session.execute(statement).one_or_none()
    if found is not None:
        rule = season_rule(found[1])
        return None if rule is None else (found[0], rule)
    friendly = session.scalar(select(Friendly).where(Friendly.job_id == job_id))
    rule = None if friendly is None else friendly_rule(session, friendly)
    return None if friendly is None or rule is None else (friendly.id, rule)


def friendly_rule(session: Session, friendly: Friendly) -> LiveRule | None:
    """Return the rule of a friendly match: that of the season whose game it is."""
    season = session.scalar(select(Season).where(Season.name == friendly.season, Season.canonical))
    return LiveRule() if season is None else season_rule(season)


def friendly_address(session: Session, friendly: Friendly) -> str | None:
    """Return the address of the viewer with a friendly match that is being played and may be watched."""
    if friendly.status is not FriendlyStatus.RUNNING or friendly_rule(session, friendly) is None:
        return None
    return _viewer(friendly_engine(session, friendly), f"{LIVE}{friendly.id}")


def friendly_engine(session: Session, friendly: Friendly) -> str:
    """Return the engine of a friendly match."""
    return session.get_one(EnvConfig, friendly.env_config_id).game_engine


def season_engine(season: Season) -> str:
    """Return the engine of a season's game."""
    return str(season.config.get("game", {}).get("game_engine", DEFAULT_ENGINE))


def viewer_of(engine: str) -> str:
    """Return the path of the viewer of an engine's matches."""
    return VIEWER if engine == DEFAULT_ENGINE else f"{VIEWER}{engine}/"


def _viewer(engine: str, socket: str) -> str:
    return f"{viewer_of(engine)}?watch={quote(socket, safe='')}"
