"""The notices of the current user over HTTP, and the links of e-mails."""

from __future__ import annotations

from typing import Annotated

import anyio.to_thread
from fastapi import Depends, Form, Query, Response
from fastapi.responses import HTMLResponse
from sqlalchemy.orm import Session

from observatory.clock import Now
from observatory.cursors import CursorPage, cursor_page
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.database.tables.notices import Notice
from observatory.errors import Conflict, Forbidden, TooManyRequests, Unauthorized, Unavailable, errors
from observatory.events import ChangeKind
from observatory.http.cached import cached
from observatory.http.callers import CurrentUser
from observatory.http.deps import KeysDep, SettingsDep
from observatory.http.plain_pages import hidden, page, paragraph
from observatory.http.routing import Router
from observatory.notices import service
from observatory.notices.links import Links, Mailbox
from observatory.notices.schemas import (
    NoticeLine,
    NoticeSettingsPage,
    NoticeSettingsUpdate,
    NoticesPage,
    NoticesRead,
    Unread,
)
from observatory.notices.sending import Letter, NotSent, send_mail

__all__ = ["router"]

router = Router()
calls = Router(prefix="/observatory/api/notices", tags=["pages"])
links_in_mail = Router(prefix="/notices", tags=["pages"], include_in_schema=False)

PageDep = Annotated[CursorPage, Depends(cursor_page(30))]
Token = Annotated[str, Query(max_length=2000)]
FormToken = Annotated[str, Form(max_length=2000)]


def _links(keys: KeysDep, settings: SettingsDep) -> Links:
    return Links(keys, settings.base_url())


LinksDep = Annotated[Links, Depends(_links)]


@calls.get("", responses=errors(Unauthorized, Forbidden))
def list_notices(session: SessionDep, user: CurrentUser, page: PageDep, response: Response) -> NoticesPage:
    """Return the notices of the current user, newest first."""
    response.headers["Cache-Control"] = "no-store"
    found = service.notices(session, user.user_id, page)
    unread = service.unread_count(session, user.user_id)
    return NoticesPage(rows=[_line(row) for row in found.rows], next_cursor=found.next_cursor, unread=unread)


@calls.get("/unread", responses=errors(Unauthorized, Forbidden))
@cached(ChangeKind.NOTICE, per_viewer=True)
def read_unread(session: SessionDep, user: CurrentUser) -> Unread:
    """Return how many notices the current user has not read."""
    return Unread(unread=service.unread_count(session, user.user_id))


@calls.post("/read", responses=errors(Unauthorized, Forbidden))
def mark_read(body: NoticesRead, session: SessionDep, user: CurrentUser, now: Now) -> Unread:
    """Mark notices of the current user as read."""
    service.mark_read(session, user.user_id, body.ids, now=now)
    return Unread(unread=service.unread_count(session, user.user_id))


@calls.get("/settings", responses=errors(Unauthorized, Forbidden))
def read_settings(
    session: SessionDep, user: CurrentUser, links: LinksDep, settings: SettingsDep, response: Response
) -> NoticeSettingsPage:
    """Return which notices the current user wants, and where."""
    response.headers["Cache-Control"] = "no-store"
    return service.settings_page(session, user.user_id, links, settings)


@calls.put("/settings", responses=errors(Unauthorized, Forbidden, Conflict, TooManyRequests, Unavailable))
@own_transactions
async def change_settings(
    body: NoticeSettingsUpdate,
    database: DatabaseDep,
    user: CurrentUser,
    links: LinksDep,
    settings: SettingsDep,
    now: Now,
) -> NoticeSettingsPage:
    """Change them. A new e-mail address gets a message with a link that confirms it."""
    account = user.user
    box = await database.write(lambda session: service.change_settings(session, account, body, settings, now=now))
    if box is not None:
        letter = _confirmation(links, box, account.shown_name)
        try:
            await anyio.to_thread.run_sync(send_mail, settings, letter, now)
        except NotSent as problem:
            raise Unavailable(f"The e-mail could not be sent: {problem}") from None

    def read(session: Session) -> NoticeSettingsPage:
        return service.settings_page(session, user.user_id, links, settings)

    return await database.query(read)


@links_in_mail.get("/confirm")
def ask_to_confirm(token: Token, links: LinksDep) -> HTMLResponse:
    """Ask whether to send notices to an address. Programs that open links in e-mails change nothing."""
    box = links.read("confirm", token)
    if box is None:
        return _invalid()
    sentence = f"The Alignment League will send notices to {box.email}. You can end that at any time."
    return page("Notices by e-mail", paragraph(sentence), _button("/notices/confirm", "Confirm this address", token))


@links_in_mail.post("/confirm")
def confirm(token: FormToken, session: SessionDep, links: LinksDep, now: Now) -> HTMLResponse:
    """Confirm an address."""
    box = links.read("confirm", token)
    if box is None or not service.confirm_email(session, box, now=now):
        return _invalid()
    return page("Confirmed", paragraph(f"Notices go to {box.email} from now on."))


@links_in_mail.get("/unsubscribe")
def ask_to_unsubscribe(token: Token, links: LinksDep) -> HTMLResponse:
    """Ask whether to end e-mail to an address."""
    box = links.read("unsubscribe", token)
    if box is None:
        return _invalid()
    sentence = f"The Alignment League will send nothing more to {box.email}."
    return page("No more e-mail", paragraph(sentence), _button("/notices/unsubscribe", "Unsubscribe", token))


@links_in_mail.post("/unsubscribe")
def unsubscribe(
    session: SessionDep,
    links: LinksDep,
    token: Annotated[str, Query(max_length=2000)] = "",
    form_token: Annotated[str, Form(alias="token", max_length=2000)] = "",
    one_click: Annotated[str, Form(alias="List-Unsubscribe", max_length=100)] = "",
) -> HTMLResponse:
    """End e-mail to an address. Mail programs send the token in the address (RFC 8058), the page in its form."""
    box = links.read("unsubscribe", form_token or token)
    if box is None:
        return _invalid()
    service.unsubscribe(session, box)
    return page("No more e-mail", paragraph(f"Nothing more is sent to {box.email}."))


def _invalid() -> HTMLResponse:
    sentence = "The link has expired, or the address was changed since. The settings are on the page of your profile."
    return page("This link is not valid", paragraph(sentence), status=404)


def _button(action: str, text: str, token: str) -> str:
    return f'<form method="post" action="{action}">{hidden("token", token)}<button type="submit">{text}</button></form>'


def _confirmation(links: Links, box: Mailbox, name: str) -> Letter:
    text = (
        f"{name} asked the Alignment League to send notices to this address.\n\n"
        f"Confirm it here: {links.confirm(box)}\n\n"
        "If this was not you, do nothing: no further e-mail follows.\n"
    )
    return Letter(box.email, "Confirm your address for notices of the Alignment League", text)


def _line(row: Notice) -> NoticeLine:
    return NoticeLine(
        id=row.id,
        kind=row.kind,
        title=row.title,
        text=row.text,
        url=row.url,
        events=row.events,
        created_at=row.created_at,
        updated_at=row.updated_at,
        read=row.read_at is not None,
    )


router.include_router(calls)
router.include_router(links_in_mail)
