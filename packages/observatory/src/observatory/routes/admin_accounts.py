"""Accounts and tokens, for administrators; `observatory admin` calls these."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from observatory.accounts import audit, repository, service
from observatory.accounts.principal import Principal
from observatory.accounts.schemas import (
    CreatedInvitation,
    CreatedToken,
    InvitationCreate,
    TokenCreate,
    TokenRead,
    UserCreate,
    UserRead,
    UserUpdate,
)
from observatory.clock import Now
from observatory.database import SessionDep
from observatory.database.tables.accounts import Token, User
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.http.callers import Admin
from observatory.http.deps import SettingsDep
from observatory.http.routing import Router
from observatory.jobs.service import release_held_with
from observatory.tokens import TokenKind

__all__ = ["change_user", "invite", "router", "user_read"]

router = Router(prefix="/admin", tags=["admin"])

_REFUSALS = (Unauthorized, Forbidden, NotFound, Conflict)


@router.get("/users", responses=errors(*_REFUSALS))
def list_users(admin: Admin, session: SessionDep) -> list[UserRead]:
    """Return every account, oldest first."""
    return [user_read(user) for user in repository.users(session)]


@router.post("/users", status_code=201, responses=errors(*_REFUSALS))
def create_user(body: UserCreate, admin: Admin, session: SessionDep, now: Now) -> UserRead:
    """Create an account. It has no password; an invitation lets its owner choose one."""
    user = service.create_user(session, email=body.email, name=body.name, is_admin=body.is_admin, now=now)
    audit.record(session, admin.user_id, "user.create", now=now, account=user.email, role=_role(user))
    return user_read(user)


@router.patch("/users/{user_id}", responses=errors(*_REFUSALS))
def update_user(user_id: str, body: UserUpdate, admin: Admin, session: SessionDep, now: Now) -> UserRead:
    """Disable an account, or make it an administrator's; or the opposite."""
    user = repository.user(session, user_id)
    if user is None:
        raise NotFound("There is no such account")
    change_user(session, admin, user, body, now=now)
    return user_read(user)


@router.get("/tokens", responses=errors(*_REFUSALS))
def list_tokens(admin: Admin, session: SessionDep) -> list[TokenRead]:
    """Return every token that was not revoked, newest first."""
    return [TokenRead(**_token(row)) for row in repository.tokens(session)]


@router.post("/tokens", status_code=201, responses=errors(*_REFUSALS))
def create_token(body: TokenCreate, admin: Admin, session: SessionDep, now: Now) -> CreatedToken:
    """Create a token for a user or, without one, for a worker. Only this response shows it."""
    expires_in = None if body.expires_in_days is None else timedelta(days=body.expires_in_days)
    if body.email is None:
        token = service.mint_worker_token(session, body.name, now=now, expires_in=expires_in)
    else:
        user = _by_email(session, body.email)
        kind = service.TokenKind.PERSONAL
        token = service.mint(session, kind, body.name, now=now, expires_in=expires_in, user=user, scopes=body.scopes)
    of = body.email or "a worker"
    audit.record(session, admin.user_id, "token.create", now=now, token=body.name, account=of)
    return CreatedToken(**_token(token.row), token=token.text)


@router.delete("/tokens/{token_id}", responses=errors(*_REFUSALS))
def revoke_token(token_id: uuid.UUID, admin: Admin, session: SessionDep, now: Now) -> TokenRead:
    """Revoke a token. The jobs that were leased with a worker's token return to the queue."""
    token = service.revoke_token(session, token_id, user_id=None, now=now)
    audit.record(session, admin.user_id, "token.revoke", now=now, token=token.name)
    if token.kind is TokenKind.WORKER:
        release_held_with(session, token.id, now=now)
    return TokenRead(**_token(token))


@router.post("/invitations", status_code=201, responses=errors(*_REFUSALS))
def create_invitation(
    body: InvitationCreate, admin: Admin, session: SessionDep, now: Now, settings: SettingsDep
) -> CreatedInvitation:
    """Create a link to register an account, or to choose a new password for an existing one."""
    return invite(session, admin, body, base_url=settings.base_url(), now=now)


def invite(
    session: Session, admin: Principal, body: InvitationCreate, *, base_url: str, now: datetime
) -> CreatedInvitation:
    """Create an invitation, and record it."""
    user = None if body.email is None else _by_email(session, body.email)
    row, text = service.invite(
        session,
        user=user,
        is_admin=body.is_admin,
        now=now,
        expires_in=timedelta(hours=body.expires_in_hours),
        created_by=admin.user_id,
        note=body.note,
        max_uses=body.max_uses,
    )
    audit.record(
        session,
        admin.user_id,
        "invitation.create",
        now=now,
        invitation=str(row.id),
        account=body.email,
        note=body.note or None,
        role="administrator" if body.is_admin else "user",
    )
    return CreatedInvitation(id=row.id, url=service.invitation_url(base_url, text), expires_at=row.expires_at)


def change_user(session: Session, admin: Principal, user: User, body: UserUpdate, *, now: datetime) -> None:
    """Change the role or the state of an account, and record it."""
    service.update_user(session, user, now=now, is_admin=body.is_admin, disabled=body.disabled)
    if body.is_admin is not None:
        audit.record(session, admin.user_id, "user.role", now=now, account=user.email, role=_role(user))
    if body.disabled is not None:
        action = "user.disable" if body.disabled else "user.enable"
        audit.record(session, admin.user_id, action, now=now, account=user.email)


def _role(user: User) -> str:
    return "administrator" if user.is_admin else "user"


def _by_email(session: SessionDep, email: str) -> User:
    user = repository.user_by_email(session, email)
    if user is None:
        raise NotFound(f"There is no account {email}")
    return user


def user_read(user: User) -> UserRead:
    return UserRead(
        id=user.id,
        email=user.email,
        name=user.name,
        is_admin=user.is_admin,
        github_login=user.github_login,
        created_at=user.created_at,
        disabled_at=user.disabled_at,
    )


def _token(row: Token) -> dict[str, object]:
    return {
        "id": row.id,
        "kind": row.kind,
        "name": row.name,
        "user_id": row.user_id,
        "token_preview": row.token_preview,
        "scopes": row.scopes,
        "created_at": row.created_at,
        "expires_at": row.expires_at,
    }
