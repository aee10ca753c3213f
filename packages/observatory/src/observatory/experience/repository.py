"""Queries for episodes on request, and who may see one: its requester, owners of its policies, and everyone who may see
the league of its round."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, not_, or_, select, true
from sqlalchemy.orm import Session, joinedload, selectinload
from sqlalchemy.sql.base import ExecutableOption

from observatory.accounts.principal import Principal
from observatory.coworlds.names import name_key
from observatory.cursors import CursorPage, Slice
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import Division, League, Round
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.requests import (
    EpisodeRequest,
    EpisodeRequestStatus,
    EpisodeSeat,
    ExperienceRequest,
    RequestSource,
)
from observatory.errors import NotFound
from observatory.leagues.repository import visible_divisions
from observatory.paging import count
from observatory.public_ids import parse_public_id

__all__ = [
    "EpisodeFilter",
    "episode",
    "episode_counts",
    "episode_of_episode",
    "episode_of_job",
    "episodes",
    "experience_request",
    "experience_requests",
    "is_in_public_league",
    "unfinished_count",
    "visible",
    "visible_ids",
]


def visible(principal: Principal | None) -> ColumnElement[bool]:
    """Select the episodes that a caller may see. A player sees those of the player, not all of the user's."""
    if principal is not None and principal.is_admin:
        return true()
    rounds = select(Round.id).join(Round.division).join(Division.league).where(visible_divisions(principal))
    in_round = EpisodeRequest.round_id.in_(rounds)
    if principal is None:
        return in_round
    asked = EpisodeRequest.user_id == principal.user_id
    if principal.is_player:
        requests = select(ExperienceRequest.id).where(ExperienceRequest.player_id == principal.player_id)
        asked = and_(asked, EpisodeRequest.experience_request_id.in_(requests))
    conditions = [in_round, asked, EpisodeRequest.id.in_(_with_seat_of(principal))]
    if not principal.is_player:
        conditions.append(EpisodeRequest.id.in_(_seats(EpisodeSeat.user_id == principal.user_id)))
    return or_(*conditions)


def _with_seat_of(principal: Principal) -> Select[uuid.UUID]:
    """Select the episodes in which a policy of the caller has a seat; people in a lobby play for themselves."""
    statement = (
        select(EpisodeSeat.episode_request_id)
        .join(PolicyVersion, PolicyVersion.id == EpisodeSeat.policy_version_id)
        .join(Policy, Policy.id == PolicyVersion.policy_id)
        .where(Policy.user_id == principal.user_id)
    )
    if principal.is_player:
        statement = statement.where(EpisodeSeat.player_id == principal.player_id)
    return statement


@dataclass(frozen=True)
class EpisodeFilter:
    """Which episodes are wanted; None leaves a field open."""

    league_id: uuid.UUID | None = None
    division_id: uuid.UUID | None = None
    round_id: uuid.UUID | None = None
    player_id: str | None = None
    policy_version_id: uuid.UUID | None = None
    coworld_id: uuid.UUID | None = None
    coworld_name: str | None = None
    """all versions of this name"""
    source: RequestSource | None = None
    experience_request_id: uuid.UUID | None = None
    mine: Principal | None = None
    with_replay: bool = False

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if self.league_id is not None:
            rounds = select(Round.id).join(Round.division).where(Division.league_id == self.league_id)
            conditions.append(EpisodeRequest.round_id.in_(rounds))
        if self.division_id is not None:
            rounds = select(Round.id).where(Round.division_id == self.division_id)
            conditions.append(EpisodeRequest.round_id.in_(rounds))
        if self.round_id is not None:
            conditions.append(EpisodeRequest.round_id == self.round_id)
        if self.player_id is not None:
            conditions.append(EpisodeRequest.id.in_(_seats(EpisodeSeat.player_id == self.player_id)))
        if self.policy_version_id is not None:
            conditions.append(EpisodeRequest.id.in_(_seats(EpisodeSeat.policy_version_id == self.policy_version_id)))
        if self.coworld_id is not None:
            conditions.append(EpisodeRequest.coworld_id == self.coworld_id)
        if self.coworld_name is not None:
            versions = select(Coworld.id).where(Coworld.name_key == name_key(self.coworld_name))
            conditions.append(EpisodeRequest.coworld_id.in_(versions))
        if self.source is not None:
            conditions.append(EpisodeRequest.source == self.source)
        if self.experience_request_id is not None:
            conditions.append(EpisodeRequest.experience_request_id == self.experience_request_id)
        if self.mine is not None:
            is_own = EpisodeRequest.user_id == self.mine.user_id
            conditions.append(or_(is_own, EpisodeRequest.id.in_(_with_seat_of(self.mine))))
        if self.with_replay:
            conditions.append(EpisodeRequest.status == EpisodeRequestStatus.COMPLETED)
        return conditions


def _seats(condition: ColumnElement[bool]) -> Select[uuid.UUID]:
    return select(EpisodeSeat.episode_request_id).where(condition)


def episodes(
    session: Session, filters: EpisodeFilter, principal: Principal | None, page: CursorPage
) -> Slice[EpisodeRequest]:
    """Return a page of episodes, newest first, with all that a row shows."""
    statement = select(EpisodeRequest).where(visible(principal), *filters.conditions()).options(*with_all())
    return page.of(session, statement, EpisodeRequest.created_at, EpisodeRequest.id)


def episode(session: Session, public_id: str, principal: Principal | None) -> EpisodeRequest:
    """Return the episode with a public id such as `ereq_...`."""
    row = _one(session, EpisodeRequest.id == parse_public_id("ereq", public_id), principal)
    if row is None:
        raise NotFound(f"There is no episode request {public_id}")
    return row


def episode_of_job(session: Session, job_id: uuid.UUID, principal: Principal | None) -> EpisodeRequest:
    row = _one(session, EpisodeRequest.job_id == job_id, principal)
    if row is None:
        raise NotFound(f"There is no episode of the job {job_id}")
    return row


def episode_of_episode(session: Session, episode_id: uuid.UUID, principal: Principal | None) -> EpisodeRequest:
    """Return the request of a recorded episode."""
    row = _one(session, EpisodeRequest.episode_id == episode_id, principal)
    if row is None:
        raise NotFound(f"There is no episode {episode_id} that was played on request")
    return row


def _one(session: Session, condition: ColumnElement[bool], principal: Principal | None) -> EpisodeRequest | None:
    return session.scalar(select(EpisodeRequest).where(condition, visible(principal)).options(*with_all()))


def with_all() -> tuple[ExecutableOption, ...]:
    """Load all that a row shows."""
    seats = selectinload(EpisodeRequest.seats)
    return (
        seats.joinedload(EpisodeSeat.policy_version).joinedload(PolicyVersion.policy),
        seats.joinedload(EpisodeSeat.player),
        seats.joinedload(EpisodeSeat.user),
        selectinload(EpisodeRequest.coworld),  # its manifest is long, and episodes share it
        joinedload(EpisodeRequest.job).load_only(
            Job.digests, Job.replay_removed_at, Job.error, Job.stored_spec, Job.env_config_id
        ),
        joinedload(EpisodeRequest.experience_request),
    )


def visible_ids(
    session: Session, ids: Collection[uuid.UUID], principal: Principal, *, of_requests: bool
) -> set[uuid.UUID]:
    """Return those of the ids, of experience requests or of episodes, that the caller may see."""
    if of_requests:
        statement: Select[Any] = select(ExperienceRequest.id).where(
            ExperienceRequest.id.in_(ids), _own_requests(principal)
        )
    else:
        statement = select(EpisodeRequest.id).where(EpisodeRequest.id.in_(ids), visible(principal))
    return set(session.scalars(statement))


def experience_request(session: Session, public_id: str, principal: Principal) -> ExperienceRequest:
    """Return a request of the caller; administrators see all."""
    statement = select(ExperienceRequest).options(joinedload(ExperienceRequest.coworld))
    row_id = parse_public_id("xreq", public_id)
    row = session.scalar(statement.where(ExperienceRequest.id == row_id, _own_requests(principal)))
    if row is None:
        raise NotFound(f"There is no experience request {public_id}")
    return row


def experience_requests(
    session: Session, principal: Principal, page: CursorPage, *, mine: bool
) -> tuple[Slice[ExperienceRequest], int]:
    """Return a page of the caller's requests, newest first, and how many there are; administrators see all."""
    condition = _own_requests(principal)
    if mine:
        condition = and_(condition, ExperienceRequest.user_id == principal.user_id)
    statement = select(ExperienceRequest).where(condition).options(joinedload(ExperienceRequest.coworld))
    total = count(session, select(ExperienceRequest.id).where(condition))
    return page.of(session, statement, ExperienceRequest.created_at, ExperienceRequest.id), total


def _own_requests(principal: Principal) -> ColumnElement[bool]:
    """Select the requests of a user; of a player, those with a seat for it or made with its token."""
    if principal.is_admin:
        return true()
    own = ExperienceRequest.user_id == principal.user_id
    if not principal.is_player:
        return own
    seated = select(EpisodeRequest.experience_request_id).join(EpisodeRequest.seats)
    seated = seated.where(EpisodeSeat.player_id == principal.player_id)
    involves = or_(ExperienceRequest.player_id == principal.player_id, ExperienceRequest.id.in_(seated))
    return and_(own, involves)


def episode_counts(
    session: Session, request_ids: Iterable[uuid.UUID]
) -> dict[uuid.UUID, dict[EpisodeRequestStatus, int]]:
    """Return how many episodes of each request are in each state."""
    ids = list(request_ids)
    statement = (
        select(EpisodeRequest.experience_request_id, EpisodeRequest.status, func.count())
        .where(EpisodeRequest.experience_request_id.in_(ids))
        .group_by(EpisodeRequest.experience_request_id, EpisodeRequest.status)
    )
    counts: dict[uuid.UUID, dict[EpisodeRequestStatus, int]] = {request_id: {} for request_id in ids}
    for request_id, status, number in session.execute(statement):
        if request_id is not None:
            counts[request_id][status] = number
    return counts


def unfinished_count(session: Session, user_id: str) -> int:
    """Return how many episodes that a user has asked for are not over yet."""
    waiting = (EpisodeRequestStatus.PENDING, EpisodeRequestStatus.SUBMITTED, EpisodeRequestStatus.RUNNING)
    own = (EpisodeRequest.user_id == user_id, EpisodeRequest.source == RequestSource.EXPERIENCE)
    return count(session, select(EpisodeRequest.id).where(*own, EpisodeRequest.status.in_(waiting)))


def is_in_public_league(session: Session, episode: EpisodeRequest) -> bool:
    """Return whether an episode belongs to a round that everyone may see."""
    if episode.round_id is None:
        return False
    shown = and_(League.public, not_(League.hidden), not_(Division.hidden))
    statement = select(Round.id).join(Round.division).join(Division.league).where(Round.id == episode.round_id, shown)
    return session.scalar(statement) is not None


def rows_by_revision(
    session: Session, request_ids: Sequence[uuid.UUID], *, after: int, limit: int
) -> list[EpisodeRequest]:
    """Return the episodes of requests that have changed after a revision, in the order of their changes."""
    changed = (EpisodeRequest.experience_request_id.in_(request_ids), EpisodeRequest.revision > after)
    statement = select(EpisodeRequest).where(*changed).order_by(EpisodeRequest.revision).limit(limit)
    return list(session.scalars(statement.options(*with_all())))


def rows_in_order(
    session: Session, request_ids: Sequence[uuid.UUID], *, offset: int, limit: int
) -> list[EpisodeRequest]:
    """Return the episodes of requests in a fixed order. Requests never get further episodes, so offsets stay valid."""
    order = (EpisodeRequest.experience_request_id, EpisodeRequest.number, EpisodeRequest.id)
    statement = select(EpisodeRequest).where(EpisodeRequest.experience_request_id.in_(request_ids)).order_by(*order)
    return list(session.scalars(statement.offset(offset).limit(limit).options(*with_all())))
