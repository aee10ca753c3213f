"""Every query on accounts, and who may see a row."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session, joinedload

from observatory import events
from observatory.database.tables.accounts import AuthCode, EndedSession, Invitation, Player, Token, User
from observatory.events import Change, ChangeKind
from observatory.tokens import TokenKind, hash_token

__all__ = [
    "auth_code",
    "credentials",
    "delete_expired_sessions",
    "first_admin",
    "found_users",
    "has_ended",
    "has_expired_sessions",
    "invitation",
    "invitations",
    "player",
    "players",
    "token",
    "tokens",
    "user",
    "user_by_email",
    "user_by_github_id",
    "users",
    "valid_token",
]


MAX_INVITATIONS = 200


def user(session: Session, user_id: str) -> User | None:
    return session.get(User, user_id)


def user_by_email(session: Session, email: str) -> User | None:
    return session.scalar(select(User).where(User.email == email.strip().lower()))


def user_by_github_id(session: Session, github_id: int) -> User | None:
    return session.scalar(select(User).where(User.github_id == github_id))


def users(session: Session) -> Sequence[User]:
    return session.scalars(select(User).order_by(User.created_at, User.id)).all()


def first_admin(session: Session) -> User | None:
    """Return the oldest administrator."""
    statement = select(User).where(User.is_admin, User.disabled_at.is_(None)).order_by(User.created_at, User.id)
    return session.scalar(statement.limit(1))


def admin_count(session: Session) -> int:
    return session.scalar(select(func.count()).where(User.is_admin, User.disabled_at.is_(None))) or 0


def valid_token(session: Session, token_hash: str, now: datetime) -> Token | None:
    """Return a token with its user and player; None if one of them is revoked, expired or disabled."""
    statement = (
        select(Token)
        .where(Token.token_hash == token_hash, Token.revoked_at.is_(None))
        .where(or_(Token.expires_at.is_(None), Token.expires_at > now))
        .options(joinedload(Token.user), joinedload(Token.player))
    )
    row = session.scalar(statement)
    if row is None or (row.user is not None and row.user.disabled_at is not None):
        return None
    if row.player is not None and row.player.disabled_at is not None:
        return None
    return row


def tokens(session: Session, *, user_id: str | None = None, kind: TokenKind | None = None) -> Sequence[Token]:
    """Return tokens that were not revoked, newest first."""
    statement = select(Token).where(Token.revoked_at.is_(None)).order_by(Token.created_at.desc(), Token.id.desc())
    if user_id is not None:
        statement = statement.where(Token.user_id == user_id)
    if kind is not None:
        statement = statement.where(Token.kind == kind)
    return session.scalars(statement).all()


def token(session: Session, token_id: uuid.UUID, *, user_id: str | None = None) -> Token | None:
    """Return a token that was not revoked; with `user_id` only one of that user."""
    statement = select(Token).where(Token.id == token_id, Token.revoked_at.is_(None))
    return session.scalar(statement if user_id is None else statement.where(Token.user_id == user_id))


def players(session: Session, user_id: str) -> Sequence[Player]:
    """Return a user's players: the default, then the newest first."""
    statement = select(Player).where(Player.user_id == user_id)
    return session.scalars(statement.order_by(Player.is_default.desc(), Player.created_at.desc(), Player.name)).all()


def player(session: Session, player_id: str, *, user_id: str) -> Player | None:
    """Return a player of this user; players of other users are not visible."""
    return session.scalar(select(Player).where(Player.id == player_id, Player.user_id == user_id))


def credentials(session: Session, player_id: str) -> Sequence[Token]:
    """Return a player's named tokens that were not revoked, oldest first."""
    statement = select(Token).where(
        Token.player_id == player_id, Token.kind == TokenKind.PLAYER_CREDENTIAL, Token.revoked_at.is_(None)
    )
    return session.scalars(statement.order_by(Token.created_at, Token.id)).all()


def invitation(session: Session, token_hash: str, now: datetime) -> Invitation | None:
    """Return an invitation that can still be used."""
    statement = select(Invitation).where(
        Invitation.token_hash == token_hash,
        Invitation.used_at.is_(None),
        Invitation.revoked_at.is_(None),
        Invitation.expires_at > now,
    )
    return session.scalar(statement.options(joinedload(Invitation.user)))


def invitations(session: Session) -> Sequence[Invitation]:
    """Return invitations with their creators and accounts, newest first."""
    statement = select(Invitation).order_by(Invitation.created_at.desc(), Invitation.id.desc()).limit(MAX_INVITATIONS)
    return session.scalars(statement.options(joinedload(Invitation.user), joinedload(Invitation.creator))).all()


def found_users(session: Session, text: str, limit: int) -> tuple[Sequence[User], int]:
    """Return accounts whose name or address contains a text, oldest first, and how many there are."""
    statement = select(User)
    if text.strip():
        pattern = text.strip().lower()
        statement = statement.where(
            or_(
                func.lower(User.email).contains(pattern, autoescape=True),
                func.lower(User.name).contains(pattern, autoescape=True),
            )
        )
    total = session.scalar(select(func.count()).select_from(statement.subquery())) or 0
    return session.scalars(statement.order_by(User.created_at, User.id).limit(limit)).all(), total


def auth_code(session: Session, code_hash: str) -> AuthCode | None:
    return session.scalar(select(AuthCode).where(AuthCode.code_hash == code_hash))


def has_ended(session: Session, nonce: str) -> bool:
    """Return whether the session of a browser was ended."""
    return session.get(EndedSession, hash_token(nonce)) is not None


def has_expired_sessions(session: Session, now: datetime) -> bool:
    statement = select(EndedSession.nonce_hash).where(EndedSession.expires_at < now)
    return session.scalar(statement.limit(1)) is not None


def delete_expired_sessions(session: Session, now: datetime) -> None:
    """Delete ended sessions whose cookies have expired."""
    session.execute(delete(EndedSession).where(EndedSession.expires_at < now))
    events.note(session, Change(ChangeKind.ACCOUNT))
