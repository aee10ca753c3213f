"""Reporters over HTTP: register, upload versions, find them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Path, Query, Response
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.clock import Now
from observatory.coworlds import content, reporters
from observatory.coworlds.reporters import ReporterFilter
from observatory.coworlds.schemas import ReporterAnnounced, ReporterComplete, ReporterCreate
from observatory.coworlds.wire import reporter_detail, reporter_row, reporter_version_row
from observatory.cursors import CursorPage, cursor_page, set_next_cursor
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.database.tables.coworlds import ContentKind, Reporter
from observatory.errors import (
    BadRequest,
    Forbidden,
    NotFound,
    TooLarge,
    TooManyRequests,
    Unauthorized,
    errors,
)
from observatory.http.callers import OptionalPrincipal, Writer
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router
from observatory.public_ids import public_id
from softmax.wire.coworlds import (
    ReporterRegistration,
    ReporterRow,
    ReporterRowDetail,
    ReporterUpload,
    ReporterUploadComplete,
)

__all__ = ["router"]

router = Router(prefix="/v2/reporters", tags=["reporters"])

Text = Annotated[str | None, Query(max_length=200)]


@router.post("/register", responses=errors(Unauthorized, Forbidden))
def register_reporter(body: ReporterCreate, session: SessionDep, principal: Writer, now: Now) -> ReporterRegistration:
    """Register a reporter of the caller, or change its description. The key of a new one is shown once."""
    row, key = reporters.register(
        session,
        principal,
        name=body.name,
        display_name=body.display_name,
        description=body.description,
        outputs=[output.document() for output in body.outputs],
        now=now,
    )
    return ReporterRegistration(
        id=public_id("rptr", row.id), name=row.name, user_id=row.user_id, created=key is not None, reporter_key=key
    )


@router.post("/upload", responses=errors(Unauthorized, Forbidden, NotFound, TooLarge, TooManyRequests))
def begin_reporter_upload(
    body: ReporterAnnounced, session: SessionDep, principal: Writer, store: StoreDep, settings: SettingsDep, now: Now
) -> ReporterUpload:
    """Return a URL to upload a component to, or the version that has the same content and attributes."""
    row = _own(session, principal, body.name)
    existing = reporters.existing_version(row, body.content_hash, body.attributes)
    if existing is not None:
        return ReporterUpload(existing_version=reporter_version_row(row, existing))
    kind = ContentKind.REPORTER
    if content.find(session, principal.user_id, kind, body.content_hash) is not None:
        # The same component with other attributes.
        version = reporters.add_version(session, row, body.content_hash, body.attributes, now=now)
        return ReporterUpload(existing_version=reporter_version_row(row, version))
    url = content.begin_upload(
        session,
        principal,
        kind,
        body.content_hash,
        body.size_bytes,
        store=store,
        settings=settings,
        now=now,
    )
    return ReporterUpload(upload_url=url)


@router.post("/upload/complete", responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, TooLarge))
@own_transactions
async def complete_reporter_upload(
    body: ReporterComplete, principal: Writer, database: DatabaseDep, store: StoreDep, settings: SettingsDep, now: Now
) -> ReporterUploadComplete:
    """Make a version of an uploaded component. A repeated request returns the same version."""
    kind, sha256, user_id = ContentKind.REPORTER, body.content_hash, principal.user_id

    await database.query(lambda session: _own(session, principal, body.name))
    async with content.checked_uploads(database, store, user_id, kind, [sha256]) as files:
        for file in files:
            if file.problem is not None:
                raise BadRequest(f"The reporter was refused: {file.problem}")

        def record(session: Session) -> ReporterUploadComplete:
            for file in files:
                content.record(session, user_id, file, settings=settings, now=now)
            row = _own(session, principal, body.name)
            version = reporters.add_version(session, row, sha256, body.attributes, now=now)
            return ReporterUploadComplete(version=reporter_version_row(row, version))

        return await database.write(record)


@router.get("", responses=errors(Unauthorized))
def list_reporters(
    session: SessionDep,
    principal: OptionalPrincipal,
    page: Annotated[CursorPage, Depends(cursor_page(200, max_limit=500))],
    response: Response,
    mode: Literal["all", "hosted", "external"] = "all",
    q: Text = None,
    type: Annotated[list[str] | None, Query(max_length=20, description="types of outputs, any of them")] = None,
    author: Text = None,
    schema_uri: Annotated[str | None, Query(max_length=2000)] = None,
) -> list[ReporterRow]:
    """Return reporters, newest first; `X-Next-Cursor` continues the list."""
    filters = ReporterFilter(mode, q, tuple(type or ()), author, schema_uri)
    found = reporters.list_reporters(session, filters, page)
    set_next_cursor(response, found.next_cursor)
    return [reporter_row(session, row) for row in found.rows]


@router.get("/{reporter_id}", responses=errors(Unauthorized, NotFound))
def get_reporter(
    reporter_id: Annotated[str, Path(max_length=100, description="`rptr_...`")],
    session: SessionDep,
    principal: OptionalPrincipal,
) -> ReporterRowDetail:
    """Return a reporter."""
    return reporter_detail(session, reporters.reporter(session, reporter_id))


def _own(session: Session, principal: Principal, name: str) -> Reporter:
    row = reporters.own_reporter(session, principal.user_id, name)
    if row is None:
        raise NotFound(f"You have no reporter {name[:80]!r}; register it first")
    return row
