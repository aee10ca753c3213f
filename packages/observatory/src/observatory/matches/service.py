"""Rules for matches: how they follow their jobs, and which files their players may read."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts.principal import Principal
from observatory.database import new_id
from observatory.database.tables.jobs import MAP_SEED, Job
from observatory.database.tables.matches import Match, MatchPlayer, MatchStatus, may_move
from observatory.database.tables.seasons import Pool, PoolPlayer
from observatory.episodes.recording import finite
from observatory.errors import Forbidden, NotFound
from observatory.events import Change, ChangeKind
from observatory.job_states import CANCELLED, JobStatus
from observatory.jobs.logs import log_name
from observatory.jobs.service import create_job
from observatory.matches import repository
from observatory.matches.transitions import move
from observatory.notices.matches import Played, Seat, tell_ended
from observatory.scoring.standings import match_scores
from observatory.seasons.seeds import policy_seed

__all__ = ["SharedEnv", "create_match", "follow_job", "log_names_of", "own_seats", "schedule"]

_STATUS_OF_JOB = {
    JobStatus.PENDING: MatchStatus.SCHEDULED,
    JobStatus.DISPATCHED: MatchStatus.SCHEDULED,
    JobStatus.RUNNING: MatchStatus.RUNNING,
    JobStatus.COMPLETED: MatchStatus.COMPLETED,
    JobStatus.FAILED: MatchStatus.FAILED,
}


def create_match(
    session: Session,
    pool: Pool,
    players: Sequence[PoolPlayer],
    assignments: Sequence[int],
    *,
    combination: str,
    repetition: int,
    seed: int,
    now: datetime,
    sample: int | None = None,
    team_id: uuid.UUID | None = None,
    picked: int | None = None,
    reason: str | None = None,
) -> Match:
    """Create a match without a job yet. `assignments` holds for each agent a position in `players`.

    `sample` is the game it plays, by default the one of its repetition's number.
    """
    match = Match(
        id=new_id(),
        pool_id=pool.id,
        team_id=team_id,
        combination=combination,
        repetition=repetition,
        sample=repetition if sample is None else sample,
        picked_policy_index=picked,
        reason=reason,
        assignments=list(assignments),
        seed=seed,
        status=MatchStatus.PENDING,
        created_at=now,
    )
    match.players = [
        MatchPlayer(policy_index=index, pool_player=player, num_agents=list(assignments).count(index))
        for index, player in enumerate(players)
    ]
    session.add(match)
    session.flush()
    events.note(session, Change(ChangeKind.MATCH, pool.season_id, frozenset({match.id})))
    events.note(session, Change(ChangeKind.SCHEDULE, pool.season_id, frozenset({pool.id})))
    return match


@dataclass(frozen=True)
class SharedEnv:
    """A game that many matches play: a row of `env_configs`, and the seed of this match's map."""

    config_id: uuid.UUID
    map_seed: int | None = None


def schedule(
    session: Session,
    match: Match,
    env: dict[str, Any] | SharedEnv,
    *,
    tags: dict[str, str],
    now: datetime,
    priority: int = 0,
) -> Job:
    """Give a match its job."""
    versions = [player.pool_player.policy_version for player in match.players]
    spec = {
        "policy_uris": [f"metta://policy/{version.id}" for version in versions],
        "policy_names": [f"{version.policy.name}:v{version.version}" for version in versions],
        "assignments": match.assignments,
        "seed": match.seed,
        "policy_seed": policy_seed(match.pool.season.seed, match.seed),
        "max_action_time_ms": 10_000,
        "episode_tags": {**tags, "match_id": str(match.id)},
    }
    shared = env if isinstance(env, SharedEnv) else None
    spec |= {"env": env} if shared is None else {MAP_SEED: shared.map_seed}
    config_id = None if shared is None else shared.config_id
    season_id = match.pool.season_id
    picked = match.picked_policy_index
    person = None if picked is None else versions[picked].policy.user_id
    job = create_job(
        session,
        spec,
        now=now,
        priority=priority,
        env_config_id=config_id,
        season_id=season_id,
        queue_person=person,
    )
    match.job_id = job.id
    move(session, match, MatchStatus.SCHEDULED, now=now)
    return job


def follow_job(session: Session, match: Match, job: Job, *, now: datetime) -> None:
    """Copy the state of its job to a match, and the scores with a result. A match that has ended stays as it is."""
    status = _STATUS_OF_JOB[job.status]
    if status is MatchStatus.COMPLETED and job.result is None:
        status = MatchStatus.FAILED  # an operator ended it by hand: there is nothing to score
    if status is MatchStatus.FAILED and job.error_type == CANCELLED and job.dispatched_at is None:
        status = MatchStatus.CANCELLED  # a worker's word for an error is not enough
    if status is match.status or not may_move(match.status, status):
        return
    if status is MatchStatus.COMPLETED:
        assert job.result is not None
        rewards = [finite(reward) for reward in job.result["rewards"]]
        scores = match_scores(match.assignments, rewards, len(match.players))
        for player in match.players:
            player.score = scores[player.policy_index]
    elif status in (MatchStatus.FAILED, MatchStatus.CANCELLED):
        match.error, match.error_type = job.error, job.error_type
        match.failed_policy_index = job.failed_policy_index
    move(session, match, status, now=now)
    if match.completed_order is not None and match.pool.season.public:
        _tell_owners(session, match, now=now)


def _tell_owners(session: Session, match: Match, *, now: datetime) -> None:
    """Write notices about a match that ended. A season that is not public is not mentioned."""
    season = match.pool.season
    played = Played(
        "match",
        f"/observatory/matches/{match.id}",
        season.display_name,
        match.pool_id,
        [Seat(player.pool_player.policy_version, player.score) for player in match.players],
        match.failed_policy_index,
        (match.error or "The match failed") if match.status is MatchStatus.FAILED else None,
    )
    tell_ended(session, played, now=now)


def log_names_of(session: Session, match_id: uuid.UUID, agent: int) -> list[str]:
    """Return the possible file names of the log of an agent's policy: by the agent (older matches) or the first one."""
    assignments = session.get_one(Match, match_id).assignments
    return [f"policy_agent_{agent}.txt", log_name(assignments, assignments[agent])]


def own_seats(
    session: Session, match_id: uuid.UUID, policy_version_id: uuid.UUID, principal: Principal
) -> tuple[uuid.UUID, list[int]]:
    """Return the match's job and the agents of this version; `Forbidden` for all but its owner and administrators."""
    match = repository.match(session, match_id, principal)
    versions = {player.policy_index: player.pool_player.policy_version for player in match.players}
    own = {index for index, version in versions.items() if version.id == policy_version_id}
    if not own:
        raise Forbidden("This policy version did not play in this match")
    if not principal.is_admin and any(versions[index].policy.user_id != principal.user_id for index in own):
        raise Forbidden("Only the owner of a policy may read what it wrote")
    if match.job_id is None:
        raise NotFound("This match has no job yet")
    return match.job_id, [agent for agent, index in enumerate(match.assignments) if index in own]
