"""Write decisions to the database, in the caller's transaction. They must follow from the facts of this transaction."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from observatory import events
from observatory.database import new_id
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import (
    Division,
    GradeRequest,
    League,
    RecordedWindow,
    Round,
    RoundStatus,
)
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.requests import EpisodeRequest, RequestSource
from observatory.events import Change, ChangeKind
from observatory.job_states import Priority
from observatory.jobs.shares import league_group
from observatory.ladder.plans import PlannedEpisode, PlannedSeat
from observatory.leagues.competition_events import publish_round_event
from observatory.requests.creation import EpisodePlan, SeatPlan, request_episodes
from observatory.requests.following import cancel_episode
from observatory.requests.transitions import ENDED
from observatory.rounds.decisions import Abort, Decision, Open, Retry, Settle
from observatory.rounds.facts import FrozenRound, RoundKind
from observatory.rounds.reading import PLATFORM
from observatory.rounds.settling import settle

__all__ = ["apply", "close_round"]


def apply(session: Session, division_id: uuid.UUID, decision: Decision, *, now: datetime) -> None:
    """Write a decision about a division; `BadRequest` when the game refuses the plan."""
    match decision:
        case Open():
            _open(session, division_id, decision, now=now)
        case Retry():
            round_ = _round(session, decision.round_id)
            _queue(session, round_, decision.plan, decision.slots, now=now)
        case Abort():
            round_ = _round(session, decision.round_id)
            close_round(session, round_, RoundStatus.FAILED, decision.why, now=now)
        case Settle():
            settle(session, _round(session, decision.round_id), decision, now=now)


def _round(session: Session, round_id: uuid.UUID) -> Round:
    loaded = joinedload(Round.division).joinedload(Division.league).joinedload(League.game)
    return session.scalars(select(Round).where(Round.id == round_id).options(loaded)).one()


def _open(session: Session, division_id: uuid.UUID, decision: Open, *, now: datetime) -> None:
    plan = decision.plan
    round_ = Round(
        id=new_id(),
        division_id=division_id,
        round_number=decision.number,
        commissioner_key=PLATFORM,
        execution_backend="dispatch" if plan.recorded is None else "recorded",
        round_config=_config(plan),
        plan=plan.document(),
        status=RoundStatus.RUNNING,
        started_at=now,
        created_at=now,
    )
    session.add(round_)
    session.flush()
    round_ = _round(session, round_.id)
    if plan.recorded is None:
        _queue(session, round_, plan, range(len(plan.episodes)), now=now)
    else:
        session.get_one(RecordedWindow, plan.recorded.id).round_id = round_.id
    if plan.kind is RoundKind.GRADING:
        _take_grades(session, round_.division.league_id, plan)
    headline = f"Round {round_.round_number} of {round_.division.name} in {round_.division.league.name} has begun"
    summary = f"{len(plan.entrants)} entrants, {len(plan.episodes)} episodes"
    publish_round_event(session, "round_started", round_, headline, now=now, summary=summary)
    events.note(session, Change(ChangeKind.ROUND, ids=frozenset({round_.id}), division=round_.division_id))


def _config(plan: FrozenRound) -> dict[str, object]:
    """Return what everyone may see of a plan."""
    scheduler = plan.ladder.scheduler.model_dump(mode="json", exclude_none=True)
    return {
        "kind": plan.kind.value,
        "entrants": len(plan.entrants),
        "episodes": len(plan.episodes),
        **({"scheduler": scheduler, "ranking": plan.ladder.ranking.algorithm} if plan.kind is RoundKind.LADDER else {}),
    }


def _queue(session: Session, round_: Round, plan: FrozenRound, slots: Iterable[int], *, now: datetime) -> None:
    """Queue episodes of the plan, for the first time or once more."""
    coworld, versions = session.get_one(Coworld, plan.coworld_id), _versions(session, plan)
    overrides, field = {}, None
    if plan.kind is RoundKind.QUALIFICATION and plan.ladder.qualification is not None:
        overrides = plan.ladder.qualification.experience.game_config_overrides
        field = plan.ladder.qualification.experience.entrant_preferences_field
    plans = []
    for slot in slots:
        episode = plan.episodes[slot]
        preferences = {} if field is None else {field: dict(plan.entrants[episode.credited()[0]].preferences)}
        plans.append(
            EpisodePlan(
                [_seat(plan, versions, seat) for seat in episode.seats],
                variant_id=episode.variant_id,
                game_config_overrides={**overrides, **preferences, **_leader_slots(coworld, plan, episode)},
                seed=episode.seed,
                tags=_tags(round_, slot, episode),
                number=slot,
            )
        )
    request_episodes(
        session,
        coworld,
        plans,
        source=RequestSource.ROUND,
        user_id=round_.division.league.user_id,
        now=now,
        round_id=round_.id,
        priority=_priority(round_, plan),
        queue_group=league_group(round_.division.league_id),
    )


def _priority(round_: Round, plan: FrozenRound) -> int:
    if plan.kind is RoundKind.QUALIFICATION:
        return Priority.ENTRY
    return Priority.FIRST if round_.round_number == 1 else Priority.REST


def _leader_slots(coworld: Coworld, plan: FrozenRound, episode: PlannedEpisode) -> dict[str, Any]:
    """Return `slots` of the game's configuration with `leader_slot_config` in the seats of the leader, if it plays."""
    overlay = plan.ladder.leader_slot_config
    if overlay is None or plan.leader is None or plan.leader not in episode.credited():
        return {}
    variants = coworld.manifest.get("variants") or []
    config: dict[str, Any] = next((row["game_config"] for row in variants if row["id"] == episode.variant_id), {})
    given = config.get("slots")
    slots = [dict(slot) if isinstance(slot, dict) else {} for slot in given] if isinstance(given, list) else []
    slots += [{} for _ in range(len(episode.seats) - len(slots))]
    for position, seat in enumerate(episode.seats):
        if seat.entrant == plan.leader:
            slots[position] |= overlay
    return {"slots": slots}


def _tags(round_: Round, slot: int, episode: PlannedEpisode) -> dict[str, str]:
    return {
        "league": round_.division.league.name,
        "division": round_.division.name,
        "round": str(round_.round_number),
        "slot": str(slot),
        **({} if episode.variant_id is None else {"variant": episode.variant_id}),
    }


def _versions(session: Session, plan: FrozenRound) -> Mapping[uuid.UUID, PolicyVersion]:
    wanted = {*(member.policy_version_id for member in plan.entrants), *plan.pool}
    statement = select(PolicyVersion).where(PolicyVersion.id.in_(wanted)).options(joinedload(PolicyVersion.policy))
    return {version.id: version for version in session.scalars(statement)}


def _seat(plan: FrozenRound, versions: Mapping[uuid.UUID, PolicyVersion], seat: PlannedSeat) -> SeatPlan:
    if seat.entrant is not None:
        member = plan.entrants[seat.entrant]
        version = versions[member.policy_version_id]
        return SeatPlan(version, player_id=member.player_id, is_filler=seat.is_filler)
    assert seat.pool is not None
    return SeatPlan(versions[plan.pool[seat.pool]], is_filler=True)


def _take_grades(session: Session, league_id: uuid.UUID, plan: FrozenRound) -> None:
    """Remove the versions of a round from the requests that wait for them."""
    seated = {str(member.policy_version_id) for member in plan.entrants}
    for request in session.scalars(select(GradeRequest).where(GradeRequest.league_id == league_id)):
        if seated & set(request.waiting):
            request.waiting = [version for version in request.waiting if version not in seated]
    session.flush()


def close_round(session: Session, round_: Round, status: RoundStatus, why: str, *, now: datetime) -> None:
    """End a round without results; take its episodes from the queue and from workers."""
    statement = select(EpisodeRequest).where(EpisodeRequest.round_id == round_.id, EpisodeRequest.status.not_in(ENDED))
    for episode in session.scalars(statement.order_by(EpisodeRequest.number, EpisodeRequest.id)):
        cancel_episode(session, episode, session.get_one(Job, episode.job_id), now=now)
    round_.status, round_.error, round_.completed_at = status, why, now
    word = "failed" if status is RoundStatus.FAILED else "was cancelled"
    headline = f"Round {round_.round_number} of {round_.division.name} in {round_.division.league.name} {word}"
    publish_round_event(session, "round_failed", round_, headline, now=now, summary=why)
    session.flush()
    events.note(session, Change(ChangeKind.ROUND, ids=frozenset({round_.id}), division=round_.division_id))
