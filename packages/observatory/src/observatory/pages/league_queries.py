"""Queries for the pages of leagues. Each returns what a whole page needs of its kind, however many rows it shows."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import and_, case, func, or_, select
from sqlalchemy.orm import Session, selectinload

from observatory.commissioners.programs import CONTAINER
from observatory.coworlds.names import name_key
from observatory.database.tables.accounts import Player
from observatory.database.tables.commissioners import (
    CommissionerPhase,
    CommissionerRun,
    CommissionerRunStatus,
    LeagueCommissioner,
)
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.leagues import (
    Division,
    League,
    Membership,
    MembershipEvent,
    Round,
    RoundResult,
    RoundStatus,
)
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus, EpisodeSeat
from observatory.leagues.repository import ACTIVE_ROUND, is_live
from observatory.pages.league_states import Situation

__all__ = [
    "MemberNumbers",
    "RoundNumbers",
    "active_rounds",
    "completed_counts",
    "last_events",
    "member_numbers",
    "played_coworlds",
    "player_counts",
    "round_numbers",
    "seated_versions",
    "situations",
    "winners",
]


@dataclass(frozen=True)
class RoundNumbers:
    """How far the episodes of a round are: attempts by state. A failed attempt may be retried."""

    attempts: int = 0
    completed: int = 0
    failed: int = 0
    running: int = 0
    waiting: int = 0


def round_numbers(session: Session, rounds: Collection[Round]) -> dict[uuid.UUID, RoundNumbers]:
    """Return the numbers of episodes of each round."""
    statement = (
        select(
            EpisodeRequest.round_id,
            EpisodeRequest.status,
            func.count(),
        )
        .where(EpisodeRequest.round_id.in_([row.id for row in rounds]))
        .group_by(EpisodeRequest.round_id, EpisodeRequest.status)
    )
    found: dict[uuid.UUID, dict[EpisodeRequestStatus, int]] = {row.id: {} for row in rounds}
    for round_id, status, number in session.execute(statement):
        if round_id is not None:
            found[round_id][status] = number
    return {round_id: _numbers(by_status) for round_id, by_status in found.items()}


def _numbers(by_status: dict[EpisodeRequestStatus, int]) -> RoundNumbers:
    def of(*statuses: EpisodeRequestStatus) -> int:
        return sum(by_status.get(status, 0) for status in statuses)

    return RoundNumbers(
        attempts=sum(by_status.values()),
        completed=of(EpisodeRequestStatus.COMPLETED),
        failed=of(EpisodeRequestStatus.FAILED, EpisodeRequestStatus.CANCELLED),
        running=of(EpisodeRequestStatus.SUBMITTED, EpisodeRequestStatus.RUNNING),
        waiting=of(EpisodeRequestStatus.PENDING),
    )


def active_rounds(session: Session, division_ids: Collection[uuid.UUID]) -> Sequence[Round]:
    """Return the rounds that are being played in these divisions, the best division first."""
    statement = (
        select(Round)
        .join(Round.division)
        .where(Round.division_id.in_(division_ids), Round.status.in_(ACTIVE_ROUND))
        .options(selectinload(Round.division).selectinload(Division.league))
    )
    return session.scalars(statement.order_by(Division.level.desc(), Division.name)).all()


@dataclass(frozen=True)
class MemberNumbers:
    live: int = 0
    champions: int = 0


def member_numbers(session: Session, division_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, MemberNumbers]:
    """Return how many live members and champions each division has."""
    champions = func.sum(case((Membership.is_champion, 1), else_=0))
    statement = select(Membership.division_id, func.count(), champions).where(
        Membership.division_id.in_(division_ids), is_live()
    )
    rows = session.execute(statement.group_by(Membership.division_id))
    return {division_id: MemberNumbers(live, int(number or 0)) for division_id, live, number in rows}


def player_counts(session: Session, division_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, int]:
    """Return how many players have a live member in one of the divisions, by league."""
    statement = select(Membership.league_id, func.count(func.distinct(Membership.player_id)))
    statement = statement.where(Membership.division_id.in_(division_ids), is_live()).group_by(Membership.league_id)
    return {row[0]: row[1] for row in session.execute(statement)}


def completed_counts(session: Session, division_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, int]:
    """Return how many rounds of each division were completed."""
    statement = select(Round.division_id, func.count()).where(
        Round.division_id.in_(division_ids), Round.status == RoundStatus.COMPLETED
    )
    return {row[0]: row[1] for row in session.execute(statement.group_by(Round.division_id))}


def winners(
    session: Session, round_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, tuple[str | None, str | None, uuid.UUID]]:
    """Return player id, player name and policy version of the best entrant of each round."""
    statement = (
        select(RoundResult.round_id, RoundResult.player_id, Player.name, RoundResult.policy_version_id)
        .outerjoin(Player, Player.id == RoundResult.player_id)
        .where(RoundResult.round_id.in_(round_ids))
        .order_by(RoundResult.round_id, RoundResult.rank.desc(), RoundResult.id.desc())
    )
    return {row[0]: (row[1], row[2], row[3]) for row in session.execute(statement.where(RoundResult.rank <= 1))}


def played_coworlds(session: Session, leagues: Collection[League]) -> dict[uuid.UUID, tuple[uuid.UUID, str]]:
    """Return id and version of the Coworld that each league plays; a league whose game has none is left out."""
    locked = [league.locked_coworld_id for league in leagues if league.locked_coworld_id is not None]
    names = {name_key(league.game.coworld_name) for league in leagues}
    statement = select(Coworld.id, Coworld.version, Coworld.name_key, Coworld.canonical).where(
        or_(Coworld.id.in_(locked), and_(Coworld.canonical, Coworld.name_key.in_(names)))
    )
    rows = session.execute(statement).all()
    by_id = {row.id: (row.id, row.version) for row in rows}
    by_name = {row.name_key: (row.id, row.version) for row in rows if row.canonical}
    found = {}
    for league in leagues:
        if league.locked_coworld_id is not None:
            found[league.id] = by_id.get(league.locked_coworld_id)
        else:
            found[league.id] = by_name.get(name_key(league.game.coworld_name))
    return {league_id: coworld for league_id, coworld in found.items() if coworld is not None}


def situations(session: Session, leagues: Collection[League]) -> dict[uuid.UUID, Situation]:
    """Return what is known of each league beside its row: of its ladder, or of its commissioner."""
    own = [league.id for league in leagues if league.commissioner_key == CONTAINER]
    problems: dict[uuid.UUID, str | None] = {}
    phases: dict[uuid.UUID, str] = {}
    if own:
        progress = select(LeagueCommissioner.league_id, LeagueCommissioner.problem)
        for league_id, problem in session.execute(progress.where(LeagueCommissioner.league_id.in_(own))):
            problems[league_id] = problem
        run = CommissionerRun
        talking = (run.status == CommissionerRunStatus.RUNNING, run.phase != CommissionerPhase.ROUND)
        statement = select(run.league_id, run.phase).where(run.league_id.in_(own), *talking)
        for league_id, phase in session.execute(statement.order_by(run.created_at)):
            phases[league_id] = phase.value
    return {
        league.id: Situation(
            ladder_enabled=bool(league.settings.get("ladder", {}).get("enabled")),
            problem=problems.get(league.id),
            conversation=phases.get(league.id),
        )
        for league in leagues
    }


def last_events(session: Session, membership_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, MembershipEvent]:
    """Return the last change of each membership."""
    statement = select(MembershipEvent).where(MembershipEvent.membership_id.in_(membership_ids))
    rows = session.scalars(statement.order_by(MembershipEvent.created_at, MembershipEvent.id))
    return {row.membership_id: row for row in rows}


def seated_versions(
    session: Session, round_ids: Collection[uuid.UUID], versions: Collection[uuid.UUID]
) -> dict[uuid.UUID, uuid.UUID]:
    """Return, for those of the versions that have a seat in one of the rounds, the round."""
    statement = (
        select(EpisodeSeat.policy_version_id, EpisodeRequest.round_id)
        .join(EpisodeRequest, EpisodeRequest.id == EpisodeSeat.episode_request_id)
        .where(
            EpisodeRequest.round_id.in_(round_ids),
            EpisodeSeat.policy_version_id.in_(versions),
            EpisodeSeat.player_id.is_not(None),
        )
        .distinct()
    )
    return {version: round_id for version, round_id in session.execute(statement) if version and round_id}
