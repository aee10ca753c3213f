"""Recorded episodes of a game, over all its versions."""

from __future__ import annotations

from sqlalchemy import ColumnElement, or_, select, true
from sqlalchemy.orm import Session, selectinload

from observatory.accounts.principal import Principal
from observatory.coworlds.names import name_key
from observatory.cursors import CursorPage
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.leagues import Division, LeagueGame, Round
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus, EpisodeSeat
from observatory.leagues.repository import visible_divisions
from observatory.public_ids import public_id
from softmax.wire.requests import EpisodeRequestPage, EpisodeRequestSummary

__all__ = ["recorded"]


def recorded(session: Session, game: LeagueGame, page: CursorPage, principal: Principal | None) -> EpisodeRequestPage:
    """Return completed episodes of rounds that the caller may see, and of the caller's own requests and policies."""
    statement = (
        select(EpisodeRequest)
        .join(EpisodeRequest.coworld)
        .where(
            Coworld.name_key == name_key(game.coworld_name),
            EpisodeRequest.status == EpisodeRequestStatus.COMPLETED,
            _visible_episodes(principal),
        )
        .options(selectinload(EpisodeRequest.seats))
    )
    rows = page.of(session, statement, EpisodeRequest.created_at, EpisodeRequest.id)
    return EpisodeRequestPage(entries=[_summary(row) for row in rows.rows], next_cursor=rows.next_cursor)


def _visible_episodes(principal: Principal | None) -> ColumnElement[bool]:
    if principal is not None and principal.is_admin:
        return true()
    rounds = select(Round.id).join(Round.division).join(Division.league).where(visible_divisions(principal))
    in_round = EpisodeRequest.round_id.in_(rounds)
    if principal is None:
        return in_round
    played = (
        select(EpisodeSeat.episode_request_id)
        .join(PolicyVersion, PolicyVersion.id == EpisodeSeat.policy_version_id)
        .join(Policy)
        .where(Policy.user_id == principal.user_id)
    )
    return or_(in_round, EpisodeRequest.user_id == principal.user_id, EpisodeRequest.id.in_(played))


def _summary(row: EpisodeRequest) -> EpisodeRequestSummary:
    return EpisodeRequestSummary(
        id=public_id("ereq", row.id),
        status=row.status,
        coworld_id=public_id("cow", row.coworld_id),
        round_id=None if row.round_id is None else public_id("round", row.round_id),
        policy_version_ids=[seat.policy_version_id for seat in row.seats if seat.policy_version_id is not None],
        created_at=row.created_at,
    )
