"""The first administrator, and the workers' token of a deployment."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from observatory.accounts import repository, service
from observatory.database import Database
from observatory.database.tables.accounts import Token
from observatory.settings import Settings
from observatory.tokens import TokenKind, hash_token, preview

__all__ = ["FirstAdmin", "accept_worker_token", "bootstrap"]

EMAIL = "admin@localhost"
LINK_HOURS = 72
MIN_TOKEN_CHARACTERS = 32
DEPLOYED_WORKERS = "workers of the deployment"


@dataclass(frozen=True)
class FirstAdmin:
    """The first administrator and their token, shown once on the first start."""

    email: str
    token: str = field(repr=False)
    password_url: str = field(repr=False)


def bootstrap(database: Database, settings: Settings, now: datetime) -> FirstAdmin | None:
    """Create an administrator if there is none; return None if one exists."""
    with database.transaction() as session:
        if repository.first_admin(session) is not None:
            return None
        user = repository.user_by_email(session, EMAIL)
        if user is None:
            user = service.create_user(session, email=EMAIL, name="admin", is_admin=True, now=now)
        service.update_user(session, user, now=now, is_admin=True, disabled=False)
        token = service.mint_user_token(session, user, now=now, name="First start")
        _, text = service.invite(session, user=user, is_admin=True, now=now, expires_in=timedelta(hours=LINK_HOURS))
        return FirstAdmin(user.email, token, service.invitation_url(settings.base_url(), text))


def accept_worker_token(database: Database, settings: Settings, now: datetime) -> None:
    """Accept the token of `worker_token_file` from workers and revoke its predecessors.

    A token that an administrator has revoked stays revoked. `ValueError` for a file without a usable token.
    """
    if settings.worker_token_file is None:
        return
    token = settings.worker_token_file.read_text().strip()
    if len(token) < MIN_TOKEN_CHARACTERS:
        raise ValueError(
            f"{settings.worker_token_file} has no token of {MIN_TOKEN_CHARACTERS} characters or more: "
            "make one with `openssl rand -hex 32`"
        )
    token_hash = hash_token(token)
    try:
        with database.transaction() as session:
            for row in repository.tokens(session, kind=TokenKind.WORKER):
                if row.name == DEPLOYED_WORKERS and row.token_hash != token_hash:
                    service.revoke(session, row, now=now)
            if session.scalar(select(Token.id).where(Token.token_hash == token_hash)) is None:
                session.add(
                    Token(
                        kind=TokenKind.WORKER,
                        name=DEPLOYED_WORKERS,
                        token_hash=token_hash,
                        token_preview=preview(f"{TokenKind.WORKER.prefix}{token}"),
                        created_at=now,
                    )
                )
    except IntegrityError:
        pass  # another server of the same deployment has just recorded it
