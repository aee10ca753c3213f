"""How many hosted games a person and the server may have."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from observatory.database.tables.hosted import HostedGame, HostedStatus
from observatory.errors import Conflict, TooManyRequests
from observatory.hosting.places import Guest
from observatory.settings import Settings

__all__ = ["check_guest_limits", "check_limits"]

_BUSY_SECONDS = 60
_HOUR = timedelta(hours=1)


def check_limits(session: Session, user_id: str, *, settings: Settings, now: datetime) -> None:
    """Refuse one more hosted game: `Conflict` if the caller can end another one, else `TooManyRequests`."""
    is_own, is_active = HostedGame.user_id == user_id, HostedGame.status != HostedStatus.ENDED
    own = _count(session, is_own, is_active)
    if own >= settings.max_hosted_games_per_user:
        raise Conflict(f"You have {own} hosted games that are not over; end one of them first")
    since = now - _HOUR
    recent = _count(session, is_own, HostedGame.created_at > since)
    if recent >= settings.hosted_games_per_hour:
        oldest = session.scalar(select(func.min(HostedGame.created_at)).where(is_own, HostedGame.created_at > since))
        wait = _BUSY_SECONDS if oldest is None else (oldest + _HOUR - now).total_seconds()
        raise TooManyRequests(f"You have started {recent} hosted games in an hour; wait a while", retry_after=int(wait))
    _check_server(session, settings)


def check_guest_limits(session: Session, guest: Guest, *, settings: Settings, now: datetime) -> None:
    """Refuse one more game of a guest with `TooManyRequests`: too many of this address, or of all guests."""
    is_active, is_near = HostedGame.status != HostedStatus.ENDED, HostedGame.guest_address == guest.address_hash
    if _count(session, is_active, is_near) >= settings.max_guest_games_per_address:
        raise TooManyRequests(
            "Guests at your address play as many games as they may; end one, or try again later",
            retry_after=_BUSY_SECONDS,
        )
    since = now - _HOUR
    if _count(session, is_near, HostedGame.created_at > since) >= settings.guest_games_per_hour:
        oldest = session.scalar(select(func.min(HostedGame.created_at)).where(is_near, HostedGame.created_at > since))
        wait = _BUSY_SECONDS if oldest is None else (oldest + _HOUR - now).total_seconds()
        raise TooManyRequests(
            f"Guests at your address started {settings.guest_games_per_hour} games in an hour; sign in to play more",
            retry_after=max(1, int(wait)),
        )
    if _count(session, is_active, HostedGame.user_id.is_(None)) >= settings.max_guest_games:
        raise TooManyRequests("All games for guests are taken; try again in a minute", retry_after=_BUSY_SECONDS)
    _check_server(session, settings)


def _check_server(session: Session, settings: Settings) -> None:
    if _count(session, HostedGame.status != HostedStatus.ENDED) >= settings.max_hosted_games:
        raise TooManyRequests(
            f"This server hosts {settings.max_hosted_games} games already; try again later", retry_after=_BUSY_SECONDS
        )


def _count(session: Session, *conditions: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).select_from(HostedGame).where(*conditions)) or 0
