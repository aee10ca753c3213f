"""Files of Coworlds: players that games run, replay viewers and reporters.

A client asks for a URL, PUTs the file to it, and names the file by its SHA-256 from then on. The server stores the
bytes once, under their digest, after it has checked them.
"""

from __future__ import annotations

import hashlib
import stat
import zipfile
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import anyio
import anyio.to_thread
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database import Database, new_id
from observatory.database.tables.coworlds import ContentFile, ContentKind, ContentState
from observatory.database.tables.policies import Upload
from observatory.errors import BadRequest, TooLarge, TooManyRequests
from observatory.policies import repository as policies
from observatory.quotas import check_stored_bytes, check_uploads
from observatory.settings import MEGABYTE, Settings
from observatory.store import Missing, Store
from observatory.store.digested import digested_files
from observatory.store.layout import content_key, content_upload_key

__all__ = ["Checked", "Completion", "begin_upload", "checked_uploads", "find", "record"]

OCTETS = "application/octet-stream"
MAX_BYTES = {
    ContentKind.PLAYER_FILE: 100 * MEGABYTE,
    ContentKind.PROGRAM: 256 * MEGABYTE,
    ContentKind.VIEWER_BUNDLE: 256 * MEGABYTE,
    ContentKind.REPORTER: 200 * MEGABYTE,
}
_NOUNS = {
    ContentKind.PLAYER_FILE: "player file",
    ContentKind.PROGRAM: "program",
    ContentKind.VIEWER_BUNDLE: "replay viewer",
    ContentKind.REPORTER: "reporter",
}
_TYPES = {ContentKind.PLAYER_FILE: OCTETS}
"""content types of uploads; published clients send replay viewers and reporters without one"""
_MAX_FILES = 10_000
_MAX_UNPACKED_BYTES = 1024 * MEGABYTE
_WASM = b"\0asm"
_PIECE = MEGABYTE

# Checking an upload may take a minute: uploads must not hold the threads that serve other requests.
_checkers = anyio.CapacityLimiter(2)


@dataclass(frozen=True)
class Checked:
    """A file whose digest is right. `problem` says why it cannot be used."""

    kind: ContentKind
    sha256: str
    size: int
    problem: str | None = None


def find(session: Session, user_id: str, kind: ContentKind, sha256: str) -> ContentFile | None:
    """Return a file that this user has sent."""
    statement = select(ContentFile).where(
        ContentFile.user_id == user_id, ContentFile.kind == kind, ContentFile.sha256 == sha256
    )
    return session.scalar(statement)


def begin_upload(
    session: Session,
    principal: Principal,
    kind: ContentKind,
    sha256: str,
    size: int,
    *,
    store: Store,
    settings: Settings,
    now: datetime,
) -> str | None:
    """Return the URL to PUT a file to; None if this user has sent it before."""
    known = find(session, principal.user_id, kind, sha256)
    if known is not None and known.state is ContentState.READY:
        return None
    if size > MAX_BYTES[kind]:
        raise TooLarge(f"The {_NOUNS[kind]} has {size:,} bytes; at most {MAX_BYTES[kind]:,} are allowed")
    check_uploads(session, principal.user_id, settings=settings, now=now)
    check_stored_bytes(session, principal.user_id, size, settings=settings)
    key = content_upload_key(principal.user_id, kind.value, sha256)
    _count_upload(session, principal, kind, key, settings=settings, now=now)
    return store.upload_url(
        key,
        content_type=_TYPES.get(kind, ""),
        max_bytes=size,
        seconds=settings.upload_url_seconds,
        replace=True,
        exact=True,
    )


def _count_upload(
    session: Session, principal: Principal, kind: ContentKind, key: str, *, settings: Settings, now: datetime
) -> None:
    """Record a pending upload, so that it counts towards limits, and is removed if it is never completed."""
    pending = session.scalar(select(Upload).where(Upload.key == key, Upload.completed_at.is_(None)))
    if pending is not None:
        pending.created_at = now
        session.flush()
        return
    since = now - timedelta(seconds=settings.upload_url_seconds)
    if policies.open_uploads(session, principal.user_id, since=since) >= settings.max_pending_uploads_per_user:
        raise TooManyRequests(
            f"{settings.max_pending_uploads_per_user} uploads were begun and not completed; complete one or wait",
            retry_after=settings.upload_url_seconds,
        )
    session.add(
        Upload(
            id=new_id(),
            user_id=principal.user_id,
            player_id=principal.player_id,
            kind=kind.value,
            key=key,
            created_at=now,
        )
    )
    session.flush()


@asynccontextmanager
async def checked_uploads(
    database: Database, store: Store, user_id: str, kind: ContentKind, digests: Sequence[str]
) -> AsyncIterator[list[Checked]]:
    """Check those files of a user that are not recorded yet; the block records them.

    The files are stored under their digests. The uploads are deleted when the block has ended well: until then the
    same request can be repeated, even if the server is killed.
    """
    async with AsyncExitStack() as stack:
        for sha256 in sorted(digests):
            await stack.enter_async_context(digested_files.held(content_key(kind, sha256)))
        known = await database.query(
            lambda session: {sha256 for sha256 in digests if find(session, user_id, kind, sha256)}
        )
        new = [sha256 for sha256 in digests if sha256 not in known]
        yield [
            await anyio.to_thread.run_sync(_check_upload, store, user_id, kind, sha256, limiter=_checkers)
            for sha256 in new
        ]
        for sha256 in new:
            await anyio.to_thread.run_sync(store.delete, content_upload_key(user_id, kind.value, sha256))


def _check_upload(store: Store, user_id: str, kind: ContentKind, sha256: str) -> Checked:
    """Check the bytes of an upload and store them under their digest.

    `BadRequest` if nothing was uploaded, or other bytes than announced.
    """
    noun, source, target = _NOUNS[kind], content_upload_key(user_id, kind.value, sha256), content_key(kind, sha256)
    try:
        with store.local(source) as path:
            size = path.stat().st_size
            if size > MAX_BYTES[kind]:
                store.delete(source)
                raise TooLarge(f"The {noun} has {size:,} bytes; at most {MAX_BYTES[kind]:,} are allowed")
            with path.open("rb") as file:
                actual = hashlib.file_digest(file, "sha256").hexdigest()
            if actual != sha256:
                store.delete(source)
                raise BadRequest(f"The uploaded {noun} has the SHA-256 {actual}, and {sha256} was announced")
            problem = _CHECKS[kind](path)
            if problem is None and store.size(target) is None:
                store.put_file(target, path)
    except Missing:
        raise BadRequest(f"The {noun} {sha256} was not uploaded; PUT it to the upload URL first") from None
    return Checked(kind, sha256, size, problem)


def record(session: Session, user_id: str, checked: Checked, *, settings: Settings, now: datetime) -> ContentFile:
    """Record a checked file as this user's. Recording it again changes nothing."""
    row = find(session, user_id, checked.kind, checked.sha256)
    if row is None:
        check_stored_bytes(session, user_id, checked.size, settings=settings)
        row = ContentFile(
            kind=checked.kind,
            sha256=checked.sha256,
            user_id=user_id,
            size_bytes=checked.size,
            state=ContentState.READY if checked.problem is None else ContentState.FAILED,
            detail=checked.problem,
            created_at=now,
        )
        session.add(row)
    key = content_upload_key(user_id, checked.kind.value, checked.sha256)
    for upload in session.scalars(select(Upload).where(Upload.key == key, Upload.completed_at.is_(None))):
        upload.completed_at = now
    session.flush()
    return row


@dataclass(frozen=True)
class Completion:
    """Completes uploads of files that are checked at once. The file is read between two transactions."""

    database: Database
    store: Store
    settings: Settings

    async def complete(self, user_id: str, kind: ContentKind, sha256: str, *, now: datetime) -> ContentFile:
        """Check an upload and record it; a file that was recorded before is returned."""
        async with checked_uploads(self.database, self.store, user_id, kind, [sha256]) as files:

            def recorded(session: Session) -> ContentFile | None:
                for checked in files:
                    record(session, user_id, checked, settings=self.settings, now=now)
                return find(session, user_id, kind, sha256)

            file = await self.database.write(recorded)
        assert file is not None
        return file


def _viewer_problem(path: Path) -> str | None:
    """Return why an archive cannot be served as a replay viewer."""
    return _archive_problem(path, "index.html")


def _program_problem(path: Path) -> str | None:
    """Return why an archive cannot be started as a program; `coworld_local.json` has its command."""
    return _archive_problem(path, "coworld_local.json")


def _archive_problem(path: Path, required: str) -> str | None:
    """Return why an archive cannot be used. Every member is read to its end."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > _MAX_FILES:
                return f"it has {len(members)} files; at most {_MAX_FILES} are allowed"
            names = [member.filename for member in members]
            if len(set(names)) < len(names):
                return "it has two files with the same name"
            if required not in names:
                return f"it has no {required}"
            total = 0
            for member in members:
                if problem := _member_problem(member):
                    return problem
                with archive.open(member) as file:
                    while piece := file.read(_PIECE):
                        total += len(piece)
                        if total > _MAX_UNPACKED_BYTES:
                            return f"it has more than {_MAX_UNPACKED_BYTES // MEGABYTE} MB of files"
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        return f"it is not a readable zip archive: {str(error)[:200]}"
    return None


def _member_problem(member: zipfile.ZipInfo) -> str | None:
    name = member.filename
    parts = name.removesuffix("/").split("/")
    if "\\" in name or "\0" in name or any(part in ("", ".", "..") for part in parts):
        return f"{name[:80]!r} is not a path inside it"
    if stat.S_ISLNK(member.external_attr >> 16):
        return f"{name[:80]!r} is a symbolic link"
    if member.flag_bits & 1:
        return f"{name[:80]!r} is encrypted"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"{name[:80]!r} is compressed in a way other than deflate"
    return None


def _reporter_problem(path: Path) -> str | None:
    with path.open("rb") as file:
        return None if file.read(4) == _WASM else "it is not a WebAssembly component"


def _no_problem(path: Path) -> str | None:
    return None


_CHECKS: dict[ContentKind, Callable[[Path], str | None]] = {
    ContentKind.PLAYER_FILE: _no_problem,
    ContentKind.PROGRAM: _program_problem,
    ContentKind.VIEWER_BUNDLE: _viewer_problem,
    ContentKind.REPORTER: _reporter_problem,
}
