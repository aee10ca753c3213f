"""Rules for friendly matches: challenge, answer, and follow the job."""

from __future__ import annotations

import secrets
import uuid
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts.principal import Principal
from observatory.database.tables.friendlies import ENDED_FRIENDLY, Friendly, FriendlyStatus
from observatory.database.tables.jobs import MAP_SEED, Job
from observatory.database.tables.notices import ChallengeRule, NoticeKind
from observatory.database.tables.policies import PolicyVersion
from observatory.episodes.recording import finite
from observatory.errors import BadRequest, Conflict, Forbidden, TooManyRequests
from observatory.events import Change, ChangeKind
from observatory.friendlies import repository
from observatory.friendlies.missions import choose_mission
from observatory.friendlies.transitions import may_move, move
from observatory.job_states import JobStatus, Priority
from observatory.jobs.service import create_job
from observatory.jobs.shares import FRIENDLY
from observatory.notices.matches import label
from observatory.notices.preferences import preferences
from observatory.notices.writing import Words, tell
from observatory.policies import repository as policies
from observatory.policies.service import own_version
from observatory.scoring.standings import match_scores
from observatory.settings import Settings

__all__ = ["accept", "challenge", "decline", "follow_job", "has_expired", "withdraw"]

SEED_BITS = 31
_STATUS_OF_JOB = {
    JobStatus.PENDING: FriendlyStatus.WAITING,
    JobStatus.DISPATCHED: FriendlyStatus.WAITING,
    JobStatus.RUNNING: FriendlyStatus.RUNNING,
    JobStatus.COMPLETED: FriendlyStatus.COMPLETED,
    JobStatus.FAILED: FriendlyStatus.FAILED,
}


def challenge(
    session: Session,
    principal: Principal,
    *,
    version_id: uuid.UUID,
    opponent_version_id: uuid.UUID,
    mission: str,
    settings: Settings,
    now: datetime,
) -> Friendly:
    """Challenge a policy with one of the caller's; the match is played at once if the other owner accepts all."""
    version, opponent = own_version(session, principal, version_id), policies.version(session, opponent_version_id)
    if version.id == opponent.id:
        raise BadRequest("A policy version cannot play a friendly match against itself")
    for played in (version, opponent):
        if played.bundle_key is None:
            raise BadRequest(f"{label(played)} has no bundle, so it cannot play a friendly match")
    rule = _rule(session, principal, opponent)
    _check_limits(session, principal, settings, now=now)
    chosen, config = choose_mission(session, mission, settings, now=now)
    agents = int(config.config["game"]["num_agents"])
    friendly = Friendly(
        challenger_id=principal.user_id,
        opponent_id=opponent.policy.user_id,
        version_id=version.id,
        opponent_version_id=opponent.id,
        mission=chosen.title,
        season=chosen.season,
        env_config_id=config.id,
        assignments=[0] * ((agents + 1) // 2) + [1] * (agents // 2),
        seed=secrets.randbits(SEED_BITS),
        status=FriendlyStatus.ASKED,
        created_at=now,
    )
    friendly.version, friendly.opponent_version = version, opponent
    session.add(friendly)
    session.flush()
    events.note(session, Change(ChangeKind.FRIENDLY, ids=frozenset({friendly.id})))
    if rule is ChallengeRule.ACCEPT:
        _schedule(session, friendly, now=now)
    if opponent.policy.user_id != principal.user_id:
        verb = "plays a friendly match against" if rule is ChallengeRule.ACCEPT else "challenges"
        text = f"In {friendly.mission}." + ("" if rule is ChallengeRule.ACCEPT else " Accept or decline it.")
        title = f"{principal.user.shown_name} with {label(version)} {verb} {label(opponent)}"
        _tell(session, opponent.policy.user_id, friendly, title, text, now=now)
    return friendly


def accept(session: Session, principal: Principal, friendly: Friendly, settings: Settings, *, now: datetime) -> None:
    """Let a challenge to a policy of the caller be played."""
    _check_answerable(principal.user_id == friendly.opponent_id, friendly, settings, now=now)
    _schedule(session, friendly, now=now)
    title = f"{principal.user.shown_name} accepted your challenge"
    _tell(session, friendly.challenger_id, friendly, title, _names(friendly), now=now)


def decline(session: Session, principal: Principal, friendly: Friendly, settings: Settings, *, now: datetime) -> None:
    """Decline a challenge to a policy of the caller."""
    _check_answerable(principal.user_id == friendly.opponent_id, friendly, settings, now=now)
    move(session, friendly, FriendlyStatus.DECLINED, now=now)
    title = f"{principal.user.shown_name} declined your challenge"
    _tell(session, friendly.challenger_id, friendly, title, _names(friendly), now=now)


def withdraw(session: Session, principal: Principal, friendly: Friendly, settings: Settings, *, now: datetime) -> None:
    """Withdraw a challenge of the caller that is not answered."""
    _check_answerable(principal.user_id == friendly.challenger_id, friendly, settings, now=now)
    move(session, friendly, FriendlyStatus.WITHDRAWN, now=now)


def has_expired(friendly: Friendly, settings: Settings, *, now: datetime) -> bool:
    """Return whether a challenge was not answered in time."""
    limit = timedelta(days=settings.friendly_answer_days)
    return friendly.status is FriendlyStatus.ASKED and now >= friendly.created_at + limit


def follow_job(session: Session, friendly: Friendly, job: Job, *, now: datetime) -> None:
    """Copy the state of its job to a friendly match, with the scores. One that has ended stays as it is."""
    status = _STATUS_OF_JOB[job.status]
    if status is FriendlyStatus.COMPLETED and job.result is None:
        status = FriendlyStatus.FAILED  # an operator ended it by hand: there is nothing to score
    if not may_move(friendly.status, status):
        return
    if status is FriendlyStatus.COMPLETED:
        assert job.result is not None
        rewards = [finite(reward) for reward in job.result["rewards"]]
        friendly.score, friendly.opponent_score = match_scores(friendly.assignments, rewards, 2)
    elif status is FriendlyStatus.FAILED:
        friendly.error, friendly.error_type = job.error or "An operator ended the job", job.error_type
        friendly.failed_policy_index = job.failed_policy_index
    move(session, friendly, status, now=now)
    if status in ENDED_FRIENDLY:
        _tell_result(session, friendly, now=now)


def _rule(session: Session, principal: Principal, opponent: PolicyVersion) -> ChallengeRule:
    """Return how a challenge of the caller is answered; `Forbidden` if it is not possible."""
    owner = opponent.policy.user
    if owner.id == principal.user_id:
        return ChallengeRule.ACCEPT
    rule = preferences(session, owner.id).challenges
    if rule is ChallengeRule.REFUSE or owner.disabled_at is not None:
        raise Forbidden(f"The owner of {label(opponent)} takes no challenges")
    return rule


def _check_limits(session: Session, principal: Principal, settings: Settings, *, now: datetime) -> None:
    limit, days = settings.max_open_friendlies_per_user, settings.friendly_answer_days
    if repository.open_count(session, principal.user_id, now=now, answer_days=days) >= limit:
        raise Conflict(f"You have {limit} challenges that are not played yet, which is the maximum; withdraw one")
    if repository.asked_since(session, principal.user_id, now - timedelta(days=1)) >= settings.friendlies_per_day:
        message = f"You have asked for {settings.friendlies_per_day} friendly matches within a day, the maximum"
        raise TooManyRequests(message, retry_after=3600)


def _check_answerable(may_answer: bool, friendly: Friendly, settings: Settings, *, now: datetime) -> None:
    if not may_answer:
        raise Forbidden("Only the user who was asked answers a challenge, and only the challenger withdraws it")
    if friendly.status is not FriendlyStatus.ASKED:
        raise Conflict(f"This challenge is {friendly.status.value} already")
    if has_expired(friendly, settings, now=now):
        raise Conflict("This challenge has expired; a new one can be made")


def _schedule(session: Session, friendly: Friendly, *, now: datetime) -> None:
    """Queue the match. Friendly matches together have the least weight in the queue."""
    versions = [friendly.version, friendly.opponent_version]
    spec = {
        "policy_uris": [f"metta://policy/{version.id}" for version in versions],
        "policy_names": [f"{version.policy.name}:v{version.version}" for version in versions],
        "assignments": friendly.assignments,
        "seed": friendly.seed,
        "policy_seed": secrets.randbits(SEED_BITS),
        "max_action_time_ms": 10_000,
        "episode_tags": {"match_type": "friendly", "friendly_id": str(friendly.id), "game": friendly.mission},
        MAP_SEED: secrets.randbits(SEED_BITS),
    }
    job = create_job(
        session,
        spec,
        now=now,
        user_id=friendly.challenger_id,
        priority=Priority.FRIENDLY,
        env_config_id=friendly.env_config_id,
        queue_group=FRIENDLY,
    )
    friendly.job_id = job.id
    move(session, friendly, FriendlyStatus.WAITING, now=now)


def _tell_result(session: Session, friendly: Friendly, *, now: datetime) -> None:
    if friendly.status is FriendlyStatus.FAILED:
        title, text = "A friendly match failed", f"{_names(friendly)}. {friendly.error}"
    else:
        title = "A friendly match was played"
        text = (
            f"{label(friendly.version)} {friendly.score:.4g}, "
            f"{label(friendly.opponent_version)} {friendly.opponent_score:.4g} in {friendly.mission}"
        )
    for user_id in {friendly.challenger_id, friendly.opponent_id}:
        _tell(session, user_id, friendly, title, text, now=now)


def _tell(session: Session, user_id: str, friendly: Friendly, title: str, text: str, *, now: datetime) -> None:
    words = Words(title, text, f"/observatory/friendlies/{friendly.id}")
    topic = f"friendly:{friendly.id}:{friendly.status.value}"
    tell(session, user_id, NoticeKind.CHALLENGE, topic, lambda number, details: words, now=now)


def _names(friendly: Friendly) -> str:
    return f"{label(friendly.version)} against {label(friendly.opponent_version)} in {friendly.mission}"
