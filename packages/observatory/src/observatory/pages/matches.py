"""Matches for pages."""

from __future__ import annotations

import base64
import binascii
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match, MatchStatus
from observatory.database.tables.seasons import Season
from observatory.episodes import repository as episodes
from observatory.episodes.wire import EpisodeWire
from observatory.errors import BadRequest
from observatory.games import DEFAULT_ENGINE
from observatory.live.rules import season_engine, viewer_of, watch_address
from observatory.matches import repository as matches_repository
from observatory.matches.lines import lines
from observatory.pages import repository
from observatory.pages.names import policy_ref
from observatory.pages.repository import MatchQuery
from observatory.pages.schemas import MatchesPage, MatchLine, MatchPage, MatchPolicy, Timings
from observatory.seasons import repository as seasons
from observatory.secrecy import visible_seed

__all__ = ["isolation_of", "loaded", "match_line", "match_page", "matches_page", "timings", "viewer_address"]

_STATUS = {MatchStatus.PENDING: "waiting", MatchStatus.SCHEDULED: "waiting"}


def match_line(match: Match) -> MatchLine:
    season = match.pool.season
    return MatchLine(
        id=match.id,
        season=season.name,
        season_version=season.version,
        pool=match.pool.name,
        status=_STATUS.get(match.status, match.status.value),
        players=[
            MatchPolicy(
                policy=policy_ref(player.pool_player.policy_version),
                num_agents=player.num_agents,
                score=player.score,
                to_blame=match.status is MatchStatus.FAILED and match.failed_policy_index == player.policy_index,
            )
            for player in match.players
        ],
        team_id=match.team_id,
        why=match.reason,
        error=match.error,
        error_type=match.error_type,
        created_at=match.created_at,
        completed_at=match.completed_at,
        has_replay=match.job is not None and match.job.episode_id is not None and match.job.replay_removed_at is None,
        watch_url=watch_address(match),
    )


def matches_page(
    session: Session,
    season: Season,
    *,
    pool: str | None,
    policy: uuid.UUID | None,
    status: str | None,
    cursor: str | None,
    limit: int,
) -> MatchesPage:
    """Return matches of a season, newest first; `cursor` is where the page before ended."""
    pools = season.pools if pool is None else [seasons.pool(season, pool)]
    query = MatchQuery(policy, status, None if cursor is None else _read_cursor(cursor))
    listed, total = repository.matches(session, [chosen.id for chosen in pools], query, limit)
    after = _cursor(listed[-1][-1], listed[-1][0]) if len(listed) == limit else None
    rows = lines(session, listed, loaded, match_line)
    return MatchesPage(rows=rows, total=total, next_cursor=after)


def loaded(session: Session, match_ids: list[uuid.UUID]) -> Iterable[Match]:
    return session.scalars(repository.with_players().where(Match.id.in_(match_ids)))


def match_page(session: Session, match_id: uuid.UUID, principal: Principal | None, wire: EpisodeWire) -> MatchPage:
    """Return a match, as far as the caller may see it."""
    match = matches_repository.match(session, match_id, principal)
    season = match.pool.season
    job = None if match.job_id is None else repository.job_of(session, match.job_id)
    episode_id = None if job is None else job.episode_id
    episode = None if episode_id is None else episodes.episode(session, episode_id, principal)
    replay_url = None if episode is None else wire.replay_path(episode)
    viewed_url = None if episode is None else wire.viewer_path(episode, season_engine(season))
    result: Mapping[str, Any] = (job.result if job is not None else None) or {}
    runtime = (job.runtime if job is not None else None) or {}
    owner = None if principal is None else principal.user_id
    return MatchPage(
        **dict(match_line(match)),
        season_display_name=season.display_name,
        job_id=match.job_id,
        episode_id=episode_id,
        assignments=match.assignments,
        rewards=result.get("rewards"),
        steps=result.get("steps"),
        sample=match.sample,
        seed=visible_seed(season, match.seed),
        worker=job.worker if job is not None and principal is not None and principal.is_admin else None,
        attempts=0 if job is None else job.attempts,
        timings=timings(job),
        isolation=isolation_of(runtime),
        runtime=runtime,
        digests=(job.digests if job is not None else None) or {},
        replay_url=replay_url,
        viewer_url=None if viewed_url is None else _viewer(viewed_url, match, runtime),
        my_policies=[
            player.pool_player.policy_version_id
            for player in match.players
            if owner is not None and player.pool_player.policy_version.policy.user_id == owner
        ],
    )


def _viewer(replay_url: str, match: Match, runtime: Mapping[str, Any]) -> str:
    """Return the address of the viewer; of a match that failed it opens at the step at which its policy was out."""
    policies: Sequence[Mapping[str, Any]] = runtime.get("policies") or []
    failed = match.failed_policy_index
    step = None
    if match.status is MatchStatus.FAILED and failed is not None and failed < len(policies):
        step = policies[failed].get("failed_step")
    page = f"/observatory/matches/{match.id}"
    return viewer_address(replay_url, page, engine=season_engine(match.pool.season)) + (
        "" if step is None else f"&tick={step}"
    )


def viewer_address(replay_url: str, page: str | None = None, *, engine: str = DEFAULT_ENGINE) -> str:
    """Return the address of this server's viewer with a replay; it links to the `page` about the replay."""
    about = "" if page is None else f"&page={quote(page, safe='')}"
    return f"{viewer_of(engine)}?replay={quote(replay_url, safe='')}{about}"


def isolation_of(runtime: Mapping[str, Any]) -> list[str]:
    """Return the isolation of each policy; empty if the worker did not report it."""
    policies: Sequence[Mapping[str, Any]] = runtime.get("policies") or []
    return [str(policy.get("isolation") or "none") for policy in policies]


def timings(job: Job | None) -> Timings:
    if job is None:
        return Timings(waited=None, played=None)
    return Timings(
        waited=_seconds(job.created_at, job.dispatched_at), played=_seconds(job.dispatched_at, job.completed_at)
    )


def _seconds(start: datetime | None, end: datetime | None) -> float | None:
    return None if start is None or end is None else (end - start).total_seconds()


def _cursor(created_at: datetime, match_id: uuid.UUID) -> str:
    return base64.urlsafe_b64encode(f"{created_at.isoformat()} {match_id}".encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[datetime, uuid.UUID]:
    try:
        at, _, match_id = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(" ")
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None:
            raise ValueError("without a zone")
        return moment, uuid.UUID(match_id)
    except (ValueError, binascii.Error):
        raise BadRequest("The cursor is not valid; leave it out to start from the first page") from None
