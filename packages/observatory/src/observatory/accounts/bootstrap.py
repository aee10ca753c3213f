"""The first administrator."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from observatory.accounts import repository, service
from observatory.database import Database
from observatory.settings import Settings

__all__ = ["FirstAdmin", "bootstrap"]

EMAIL = "admin@localhost"
LINK_HOURS = 72


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
