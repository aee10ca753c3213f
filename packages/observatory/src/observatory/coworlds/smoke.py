"""Smoke episodes: the server plays a new version of a game with the game's own players before leagues may use it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus, RequestSource
from observatory.games.coworlds import coworlds
from observatory.job_states import Priority
from observatory.jobs.shares import CHECKS
from observatory.requests.creation import EpisodePlan, SeatPlan, request_episodes

__all__ = ["have_passed", "request_smoke_episodes", "retry_smoke_episodes"]

MAX_EPISODES = 4
"""variants beyond these are not played"""
_ENDED_BADLY = (EpisodeRequestStatus.FAILED, EpisodeRequestStatus.CANCELLED)


def request_smoke_episodes(session: Session, coworld: Coworld, *, now: datetime) -> None:
    """Queue an episode of each variant."""
    variants = [variant["id"] for variant in coworld.manifest["variants"][:MAX_EPISODES]]
    _request(session, coworld, variants, now=now)


def retry_smoke_episodes(session: Session, coworld: Coworld, *, now: datetime) -> bool:
    """Queue another episode of each variant whose last episode did not complete; return whether there was any."""
    failed = [episode.variant_id for episode in _latest(session, coworld) if episode.status in _ENDED_BADLY]
    if failed:
        _request(session, coworld, failed, now=now)
    return bool(failed)


def have_passed(session: Session, coworld: Coworld) -> bool:
    """Return whether the last episode of each variant is complete."""
    latest = _latest(session, coworld)
    return bool(latest) and all(episode.status is EpisodeRequestStatus.COMPLETED for episode in latest)


def _request(session: Session, coworld: Coworld, variants: Sequence[str | None], *, now: datetime) -> None:
    plans = []
    for variant_id in variants:
        players = coworlds().own_players(coworld.manifest, variant_id=variant_id)
        seats = [SeatPlan(game_player_id=player_id) for player_id in players]
        plans.append(EpisodePlan(seats, variant_id=variant_id))
    request_episodes(
        session,
        coworld,
        plans,
        source=RequestSource.COWORLD_UPLOAD,
        user_id=coworld.user_id,
        now=now,
        priority=Priority.FIRST,
        queue_group=CHECKS,
    )


def _latest(session: Session, coworld: Coworld) -> list[EpisodeRequest]:
    """Return the newest smoke episode of each variant."""
    statement = select(EpisodeRequest).where(
        EpisodeRequest.coworld_id == coworld.id, EpisodeRequest.source == RequestSource.COWORLD_UPLOAD
    )
    newest = {episode.variant_id: episode for episode in session.scalars(statement.order_by(EpisodeRequest.revision))}
    return list(newest.values())
