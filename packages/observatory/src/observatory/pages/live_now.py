"""The matches and episodes that can be watched now."""

from __future__ import annotations

import uuid

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.leagues import Division, Round
from observatory.database.tables.matches import Match
from observatory.database.tables.requests import EpisodeRequest
from observatory.database.tables.seasons import Pool
from observatory.pages import repository
from observatory.pages.league_places import league_id_of
from observatory.pages.queued_jobs import job_lines
from observatory.seasons import repository as seasons

__all__ = ["LiveLine", "live_now"]

MAX_SHOWN = 5


class LiveLine(BaseModel):
    """A match or an episode that is being played and may be watched on its page."""

    title: str
    url: str
    about: str
    """the season, or the league and its round"""


def live_now(
    session: Session, principal: Principal | None, *, season: str | None = None, league: str | None = None
) -> list[LiveLine]:
    """Return what the caller may watch, the longest first: of a season, of a league, or of the whole server."""
    in_work = [job.id for job in repository.in_work(session)]
    jobs = [job_id for job_id in in_work if job_id in _inside(session, in_work, principal, season, league)]
    lines = job_lines(session, jobs, principal)
    watchable = (lines[job_id] for job_id in jobs if job_id in lines and lines[job_id].is_live)
    found = [LiveLine(title=line.title, url=line.url, about=line.about) for line in watchable if line.url is not None]
    return found[:MAX_SHOWN]


def _inside(
    session: Session, jobs: list[uuid.UUID], principal: Principal | None, season: str | None, league: str | None
) -> set[uuid.UUID | None]:
    """Return those of the jobs that belong to the season or the league; `NotFound` for one that is not visible."""
    if season is not None:
        chosen = seasons.season(session, season, principal)
        matches = select(Match.job_id).join(Match.pool).where(Match.job_id.in_(jobs), Pool.season_id == chosen.id)
        return set(session.scalars(matches))
    if league is not None:
        league_id = league_id_of(session, league, principal)
        episodes = (
            select(EpisodeRequest.job_id)
            .join(Round, EpisodeRequest.round_id == Round.id)
            .join(Division, Round.division_id == Division.id)
            .where(EpisodeRequest.job_id.in_(jobs), Division.league_id == league_id)
        )
        return set(session.scalars(episodes))
    return set(jobs)
