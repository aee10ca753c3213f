"""The match that the front page plays: the newest one that can be watched, else the newest replay."""

from __future__ import annotations

import uuid
from typing import Literal

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match, MatchStatus
from observatory.database.tables.seasons import Pool, Season
from observatory.episodes import repository as episodes
from observatory.episodes.wire import EpisodeWire
from observatory.live.rules import season_engine, watch_address
from observatory.pages import repository
from observatory.pages.matches import match_line, viewer_address
from observatory.pages.schemas import MatchLine
from observatory.seasons.repository import visible

__all__ = ["FrontMatch", "front_match"]

MAX_RUNNING = 20


class FrontMatch(BaseModel):
    """A match to play small beside other content. `kind` is live, replay, or none if there is no match to show."""

    kind: Literal["live", "replay", "none"]
    match: MatchLine | None
    season_display_name: str | None
    viewer_url: str | None
    """the viewer with the match, for a frame"""


def front_match(session: Session, wire: EpisodeWire) -> FrontMatch:
    """Return the match of a public season that visitors see first."""
    for match in _running(session):
        if (address := watch_address(match)) is not None:
            return _shown("live", match, address)
    match_id = _newest_replay(session)
    newest = None if match_id is None else session.scalar(repository.with_players().where(Match.id == match_id))
    if newest is not None and newest.job is not None and newest.job.episode_id is not None:
        engine = season_engine(newest.pool.season)
        replay_url = wire.viewer_path(episodes.episode(session, newest.job.episode_id, None), engine)
        if replay_url is not None:
            return _shown("replay", newest, viewer_address(replay_url, engine=engine))
    return FrontMatch(kind="none", match=None, season_display_name=None, viewer_url=None)


def _shown(kind: Literal["live", "replay"], match: Match, address: str) -> FrontMatch:
    name = match.pool.season.display_name
    return FrontMatch(kind=kind, match=match_line(match), season_display_name=name, viewer_url=f"{address}&mini=1")


def _running(session: Session) -> list[Match]:
    """Return the matches that are being played, the longest first: it has most to show."""
    # Named by their pools, they are found by an index; otherwise SQLite reads all matches.
    pools = select(Pool.id).join(Pool.season).where(Season.disabled_at.is_(None), visible(None))
    statement = repository.with_players().where(Match.pool_id.in_(pools), Match.status == MatchStatus.RUNNING)
    return list(session.scalars(statement.order_by(Match.created_at, Match.id).limit(MAX_RUNNING)))


def _newest_replay(session: Session) -> uuid.UUID | None:
    statement = (
        select(Match.id)
        .join(Job, Match.job_id == Job.id)
        .join(Match.pool)
        .join(Pool.season)
        .where(
            Match.status == MatchStatus.COMPLETED,
            Job.episode_id.is_not(None),
            Job.replay_removed_at.is_(None),
            Season.disabled_at.is_(None),
            visible(None),
        )
        .order_by(Match.completed_order.desc())
        .limit(1)
    )
    return session.scalar(statement)
