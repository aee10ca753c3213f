"""Queue failed matches again."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.database.tables.jobs import MAP_SEED, Job
from observatory.database.tables.matches import Match, MatchStatus
from observatory.errors import Conflict, NotFound
from observatory.matches.service import SharedEnv, create_match, schedule

__all__ = ["play_again"]


def play_again(session: Session, match_id: uuid.UUID, *, now: datetime) -> Match:
    """Queue a new match for a failed one, with the same policies, seats, map and seed.

    Raise `Conflict` for a match that has not failed, whose season has ended, or that was queued again already: a match
    with a result is never replayed.
    """
    failed = session.get(Match, match_id)
    if failed is None:
        raise NotFound(f"Match {match_id} not found")
    if failed.status is not MatchStatus.FAILED:
        raise Conflict(f"Match {match_id} is {failed.status.value}; only failed matches can be played again")
    season = failed.pool.season
    if season.completed_at is not None or season.disabled_at is not None:
        raise Conflict(f"Season {season.name!r}, version {season.version}, plays no more matches")
    same = (Match.pool_id == failed.pool_id, Match.combination == failed.combination)
    others = session.scalars(select(Match).where(*same, Match.sample == failed.sample, Match.id != failed.id))
    if any(other.status is not MatchStatus.FAILED for other in others):
        raise Conflict(f"Match {match_id} was queued again already")
    job = None if failed.job_id is None else session.get(Job, failed.job_id)
    if job is None:
        raise Conflict(f"Match {match_id} never had a job")
    last = session.scalar(select(func.max(Match.repetition)).where(*same)) or 0
    match = create_match(
        session,
        failed.pool,
        [player.pool_player for player in failed.players],
        failed.assignments,
        combination=failed.combination,
        repetition=last + 1,
        sample=failed.sample,
        seed=failed.seed,
        team_id=failed.team_id,
        reason="An operator asked for it",
        now=now,
    )
    session.refresh(match)
    spec = job.stored_spec
    tags = {name: value for name, value in spec.get("episode_tags", {}).items() if name != "match_id"}
    env = spec["env"] if job.env_config_id is None else SharedEnv(job.env_config_id, spec.get(MAP_SEED))
    schedule(session, match, env, tags=tags, now=now, priority=job.priority)
    return match
