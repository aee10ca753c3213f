"""The page of a signed-in user: tokens, policies and where they play, players."""

from __future__ import annotations

import uuid
from datetime import datetime
from html import escape

from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from observatory.accounts import repository
from observatory.accounts.principal import Principal
from observatory.database.tables.accounts import Token, User
from observatory.http.plain_pages import form, page, paragraph, table
from observatory.paging import Page
from observatory.policies import repository as policies
from observatory.seasons import repository as seasons
from observatory.tokens import TokenKind

__all__ = ["home_page"]

MAX_ROWS = 50
_NEXT = (
    '<p><a href="/observatory">See the competitions</a> · <a href="/observatory/upload">Upload a policy</a> · '
    '<a href="/observatory/me">Your profile</a></p>'
)


def home_page(session: Session, user: User, csrf: str, now: datetime) -> HTMLResponse:
    """Return the home page, which shows this user's data only."""
    tokens = [
        row for row in repository.tokens(session, user_id=user.id) if row.expires_at is None or row.expires_at > now
    ]
    return page(
        "Home",
        paragraph(f"Signed in as {user.email}."),
        _NEXT,
        _policies(session, user),
        _players(session, user),
        table(
            "Tokens",
            ["Name", "Expires", ""],
            (_token_row(row, csrf) for row in tokens[:MAX_ROWS]),
            empty="There are no tokens. Run `cogames auth login` to make one.",
        ),
        form("/sign-out", "Sign out", csrf=csrf),
    )


def _token_row(row: Token, csrf: str) -> list[str]:
    name = row.name if row.kind is TokenKind.PERSONAL else f"{row.name} (player {row.player_id})"
    button = form(f"/home/tokens/{row.id}/revoke", "Revoke", csrf=csrf)
    return [f"{escape(name)}<br><code>{escape(row.token_preview)}</code>", _day(row.expires_at), button]


def _players(session: Session, user: User) -> str:
    rows = (
        [escape(player.name), f"<code>{escape(player.id)}</code>", "default" if player.is_default else ""]
        for player in repository.players(session, user.id)
    )
    return table("Players", ["Name", "Id", ""], rows, empty="There are no players.")


def _policies(session: Session, user: User) -> str:
    """Return the table of policies and of the seasons each version was entered in."""
    versions, total = policies.versions(session, policies.VersionFilter(user_id=user.id), Page(MAX_ROWS, 0))
    entered: dict[uuid.UUID, list[str]] = {}
    for version_id, season in seasons.seasons_of_user(session, Principal(user)):
        entered.setdefault(version_id, []).append(season)
    rows = (
        [
            escape(f"{version.policy.name}:v{version.version}"),
            _day(version.created_at),
            escape(", ".join(entered.get(version.id, [])) or "none"),
            f"<code>{version.id}</code>",
        ]
        for version in versions
    )
    caption = "Policies and submissions" + (f" (newest {MAX_ROWS} of {total})" if total > MAX_ROWS else "")
    return table(
        caption,
        ["Policy", "Uploaded", "Seasons", "Id"],
        rows,
        empty="There are no policies. Run `cogames upload --help` to see how to send one.",
    )


def _day(moment: datetime | None) -> str:
    return "never" if moment is None else f'<time datetime="{moment.isoformat()}">{moment:%Y-%m-%d}</time>'
