"""Users, quotas and invitations, for the pages of administrators."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import Query
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts import audit, repository, service
from observatory.accounts.schemas import CreatedInvitation, InvitationCreate, UserRead, UserUpdate
from observatory.administration.schemas import InvitationRow, QuotaChange, QuotaRow, UserLine, UsersPage
from observatory.clock import Now
from observatory.database import SessionDep
from observatory.database.tables.accounts import Invitation, User
from observatory.database.tables.administration import UserQuota
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.http.callers import Admin
from observatory.http.deps import SettingsDep
from observatory.http.routing import Router
from observatory.quotas import stored_bytes_of, uploads_of_day
from observatory.routes.admin_accounts import change_user, invite, user_read

__all__ = ["router"]

router = Router(prefix="/observatory/api/admin", tags=["administration"])

_REFUSALS = (Unauthorized, Forbidden, NotFound, Conflict)
MAX_SHOWN = 50


@router.get("/people", responses=errors(Unauthorized, Forbidden))
def search_users(
    admin: Admin,
    session: SessionDep,
    settings: SettingsDep,
    now: Now,
    q: Annotated[str, Query(max_length=255, description="part of a name or an address")] = "",
) -> UsersPage:
    """Return accounts, with what each has stored and may store."""
    found, total = repository.found_users(session, q, MAX_SHOWN)
    quotas = _quotas(session, [user.id for user in found], now)
    return UsersPage(
        users=[UserLine(user=user_read(user), quota=quotas[user.id]) for user in found],
        total=total,
        default_max_stored_bytes=settings.max_stored_bytes_per_user,
        default_max_uploads_per_day=settings.max_uploads_per_day,
    )


@router.post("/people/{user_id}", responses=errors(*_REFUSALS))
def edit_user(user_id: str, body: UserUpdate, admin: Admin, session: SessionDep, now: Now) -> UserRead:
    """Disable an account, or make it an administrator's; or the opposite."""
    user = _user(session, user_id)
    change_user(session, admin, user, body, now=now)
    return user_read(user)


@router.put("/people/{user_id}/quota", responses=errors(*_REFUSALS))
def set_quota(user_id: str, body: QuotaChange, admin: Admin, session: SessionDep, now: Now) -> QuotaRow:
    """Set the limits of a user; null means the server's."""
    user = _user(session, user_id)
    row = session.get(UserQuota, user_id)
    if row is None:
        row = UserQuota(user_id=user_id, updated_at=now)
        session.add(row)
    row.max_stored_bytes, row.max_uploads_per_day = body.max_stored_bytes, body.max_uploads_per_day
    row.updated_at = now
    session.flush()
    limits = {name: "server" if value is None else str(value) for name, value in body.model_dump().items()}
    audit.record(session, admin.user_id, "quota.set", now=now, account=user.email, **limits)
    return _quotas(session, [user_id], now)[user_id]


@router.get("/invitations", responses=errors(Unauthorized, Forbidden))
def list_invitations(admin: Admin, session: SessionDep, now: Now) -> list[InvitationRow]:
    """Return the last invitations, newest first, without their links."""
    return [_invitation(row, now) for row in repository.invitations(session)]


@router.post("/invitations", status_code=201, responses=errors(*_REFUSALS))
def make_invitation(
    body: InvitationCreate, admin: Admin, session: SessionDep, now: Now, settings: SettingsDep
) -> CreatedInvitation:
    """Create a link to register accounts, or to choose a new password for an existing one. Only this shows it."""
    return invite(session, admin, body, base_url=settings.base_url(), now=now)


@router.post("/invitations/{invitation_id}/revoke", responses=errors(*_REFUSALS))
def revoke_invitation(invitation_id: uuid.UUID, admin: Admin, session: SessionDep, now: Now) -> InvitationRow:
    """Make a link useless; accounts that were made with it stay."""
    row = service.revoke_invitation(session, invitation_id, now=now)
    audit.record(session, admin.user_id, "invitation.revoke", now=now, invitation=str(row.id), note=row.note or None)
    return _invitation(row, now)


def _user(session: Session, user_id: str) -> User:
    user = repository.user(session, user_id)
    if user is None:
        raise NotFound("There is no such account")
    return user


def _quotas(session: Session, user_ids: Sequence[str], now: datetime) -> dict[str, QuotaRow]:
    own = {row.user_id: row for row in session.scalars(select(UserQuota).where(UserQuota.user_id.in_(user_ids)))}
    stored, uploads = stored_bytes_of(session, user_ids), uploads_of_day(session, user_ids, now=now)
    return {
        user_id: QuotaRow(
            user_id=user_id,
            stored_bytes=stored[user_id],
            uploads_today=uploads[user_id],
            max_stored_bytes=own[user_id].max_stored_bytes if user_id in own else None,
            max_uploads_per_day=own[user_id].max_uploads_per_day if user_id in own else None,
        )
        for user_id in user_ids
    }


def _invitation(row: Invitation, now: datetime) -> InvitationRow:
    if row.revoked_at is not None:
        state = "revoked"
    elif row.used_at is not None:
        state = "used"
    else:
        state = "open" if row.expires_at > now else "expired"
    return InvitationRow.model_validate(
        {
            "id": row.id,
            "account": None if row.user is None else row.user.email,
            "is_admin": row.is_admin,
            "note": row.note,
            "created_by": None if row.creator is None else row.creator.email,
            "uses": row.uses,
            "max_uses": row.max_uses,
            "state": state,
            "created_at": row.created_at,
            "expires_at": row.expires_at,
        }
    )
