"""The episodes of a commissioner's round: check, queue and cancel them, and say how they ended."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, contains_eager

from observatory.commissioners import facts
from observatory.commissioners.runs import send
from observatory.database.tables.commissioners import CommissionerEpisode, CommissionerPhase, CommissionerRun
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.jobs import Job
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.requests import EpisodeRequest, RequestSource
from observatory.errors import Conflict, ObservatoryError
from observatory.jobs.shares import league_group
from observatory.requests.creation import EpisodePlan, SeatPlan, episode_config, request_episodes
from observatory.requests.following import cancel_episode
from observatory.requests.transitions import ENDED

__all__ = [
    "ChangedConfig",
    "cancel",
    "changed_configs",
    "episodes_of",
    "failure",
    "has_open_episodes",
    "result",
    "schedule",
    "stop_all",
    "unreported",
]

MAX_EPISODES = 10_000
"""of a round"""
MAX_SEATS = 1000
OVERLAY_TAG = "coworld_config_overlay_secret"
_SCHEDULING = ("schedule_episodes", "episode_completed_response")
"""messages that ask for episodes"""


@dataclass(frozen=True)
class ChangedConfig:
    """The configuration of an episode that the game's schema has to allow."""

    request_id: str
    schema: Mapping[str, Any]
    config: Mapping[str, Any]
    seats: int


def changed_configs(session: Session, run: CommissionerRun, message: Mapping[str, Any]) -> list[ChangedConfig]:
    """Return the configurations of new episodes that are not those of a variant."""
    if message["type"] not in _SCHEDULING or run.phase is not CommissionerPhase.ROUND:
        return []
    coworld = session.get_one(Coworld, run.coworld_id)
    schema = coworld.manifest["game"]["config_schema"]
    known = {row.request_id for row in episodes_of(session, run)}
    found = []
    for episode in message["episodes"]:
        overrides, seats = episode["game_config_overrides"], len(episode["policy_version_ids"])
        if overrides and seats and episode["request_id"] not in known:
            try:
                config = episode_config(coworld, episode["variant_id"], overrides, seats)
            except ObservatoryError:
                continue  # `_schedule` says why
            found.append(ChangedConfig(episode["request_id"], schema, config, seats))
    return found


def schedule(
    session: Session,
    run: CommissionerRun,
    wanted: Sequence[Mapping[str, Any]],
    refused: Mapping[str, str],
    *,
    now: datetime,
) -> None:
    """Queue episodes that are new; what was asked for before is accepted again, and not played twice."""
    known = {row.request_id: row for row in episodes_of(session, run)}
    accepted: list[str] = []
    errors: dict[str, str] = {}
    plans: list[tuple[Mapping[str, Any], EpisodePlan]] = []
    for episode in wanted:
        request_id, row = episode["request_id"], known.get(episode["request_id"])
        if row is not None:
            if not _is_same(row.requested, episode):
                errors[request_id] = "The request_id was used for another episode of this round"
                continue
            row.asked_on, row.reported_on = run.connection, 0
            accepted.append(request_id)
            continue
        if request_id in accepted or request_id in errors:
            continue
        try:
            if request_id in refused:
                raise Conflict(refused[request_id])
            if len(known) + len(plans) >= MAX_EPISODES:
                raise Conflict(f"A round has at most {MAX_EPISODES} episodes")
            plans.append((episode, _plan(session, run, episode)))
        except ObservatoryError as problem:
            errors[request_id] = problem.message
        else:
            accepted.append(request_id)
    _queue(session, run, plans, first=len(known), now=now)
    if accepted:
        send(session, run, "episodes_accepted", {"request_ids": accepted}, now=now)
    if errors:
        send(session, run, "episodes_rejected", {"request_ids": list(errors), "errors": errors}, now=now)


def _plan(session: Session, run: CommissionerRun, episode: Mapping[str, Any]) -> EpisodePlan:
    """Return an episode as it can be queued; raise an error that says why it cannot."""
    request_id, versions = episode["request_id"], episode["policy_version_ids"]
    players: dict[str, str | None] = run.plan["players"]
    if not 0 < len(request_id) <= 200:
        raise Conflict("A request_id has 1 to 200 characters")
    if not 0 < len(versions) <= MAX_SEATS:
        raise Conflict(f"An episode has 1 to {MAX_SEATS} seats, not {len(versions)}")
    if OVERLAY_TAG in episode["tags"]:
        raise Conflict(f"This server plays episodes without `{OVERLAY_TAG}`; leave the tag out")
    seed = episode["seed"]
    if seed is not None and not 0 <= seed < 2**63:
        raise Conflict("A seed is between 0 and 2^63 - 1")
    for version_id in versions:
        if version_id not in players:
            raise Conflict(f"The policy version {version_id} is not a member of this league")
    coworld = session.get_one(Coworld, run.coworld_id)
    episode_config(coworld, episode["variant_id"], episode["game_config_overrides"], len(versions))
    seats = [
        SeatPlan(session.get_one(PolicyVersion, uuid.UUID(version_id)), players[version_id]) for version_id in versions
    ]
    return EpisodePlan(
        seats,
        variant_id=episode["variant_id"],
        game_config_overrides=episode["game_config_overrides"],
        seed=_seed(run, request_id) if seed is None else seed,
        tags=episode["tags"],
    )


def _seed(run: CommissionerRun, request_id: str) -> int:
    """Return the seed of an episode without one: the same whenever and wherever it is queued."""
    return int.from_bytes(hashlib.sha256(f"{run.round_id}/{request_id}".encode()).digest()[:4]) >> 1


def _queue(
    session: Session,
    run: CommissionerRun,
    plans: Sequence[tuple[Mapping[str, Any], EpisodePlan]],
    *,
    first: int,
    now: datetime,
) -> None:
    if not plans:
        return
    coworld = session.get_one(Coworld, run.coworld_id)
    queued = request_episodes(
        session,
        coworld,
        [plan for _, plan in plans],
        source=RequestSource.ROUND,
        user_id=run.league.user_id,
        now=now,
        round_id=run.round_id,
        queue_group=league_group(run.league_id),
    )
    for number, ((wanted, _), episode) in enumerate(zip(plans, queued, strict=True), first):
        episode.number = number
        session.add(
            CommissionerEpisode(
                run_id=run.id,
                request_id=wanted["request_id"],
                episode_request_id=episode.id,
                requested=dict(wanted),
                asked_on=run.connection,
                reported_on=0,
                cancelled=False,
            )
        )
    session.flush()


def _is_same(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    return all(earlier[key] == later[key] for key in ("variant_id", "policy_version_ids", "game_config_overrides"))


def cancel(session: Session, run: CommissionerRun, request_id: str, *, now: datetime) -> None:
    """Cancel an episode that has not ended; the commissioner gets no result for it."""
    row = session.get(CommissionerEpisode, (run.id, request_id))
    if row is None:
        return
    row.cancelled = True
    _stop(session, row, now=now)


def unreported(session: Session, run: CommissionerRun) -> Sequence[CommissionerEpisode]:
    """Return the episodes that the current connection asked for and that have ended, in the order of their ends."""
    row = CommissionerEpisode
    conditions = (row.asked_on == run.connection, row.reported_on != run.connection, row.cancelled.is_(False))
    statement = _query(run).where(*conditions, EpisodeRequest.status.in_(ENDED))
    return session.scalars(statement.order_by(EpisodeRequest.completed_at, EpisodeRequest.number)).all()


def has_open_episodes(session: Session, run: CommissionerRun) -> bool:
    """Return whether the commissioner waits for an episode."""
    statement = _query(run).where(EpisodeRequest.status.not_in(ENDED)).limit(1)
    return session.scalar(statement) is not None


def result(session: Session, row: CommissionerEpisode) -> dict[str, Any]:
    return facts.episode_result(row.request_id, row.episode, session.get_one(Job, row.episode.job_id))


def failure(row: CommissionerEpisode) -> dict[str, Any]:
    episode = row.episode
    index = episode.failed_policy_index
    failed = None if index is None or index >= len(episode.seats) else episode.seats[index].policy_version_id
    return {
        "request_id": row.request_id,
        "error": episode.error or "The episode was cancelled",
        "error_type": episode.error_type or episode.status.value,
        "failed_policy_index": index,
        "failed_policy_version_id": None if failed is None else str(failed),
    }


def stop_all(session: Session, run: CommissionerRun, *, now: datetime) -> None:
    for row in episodes_of(session, run):
        _stop(session, row, now=now)


def _stop(session: Session, row: CommissionerEpisode, *, now: datetime) -> None:
    """Cancel the episode, even if a worker plays it: the worker notices that its job has ended."""
    if row.episode.status not in ENDED:
        cancel_episode(session, row.episode, session.get_one(Job, row.episode.job_id), now=now)


def episodes_of(session: Session, run: CommissionerRun) -> Sequence[CommissionerEpisode]:
    return session.scalars(_query(run).order_by(EpisodeRequest.number)).all()


def _query(run: CommissionerRun) -> Select[CommissionerEpisode]:
    return (
        select(CommissionerEpisode)
        .join(CommissionerEpisode.episode)
        .where(CommissionerEpisode.run_id == run.id)
        .options(
            contains_eager(CommissionerEpisode.episode).joinedload(EpisodeRequest.job),
            contains_eager(CommissionerEpisode.episode).selectinload(EpisodeRequest.seats),
        )
    )
