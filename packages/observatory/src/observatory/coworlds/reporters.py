"""Reporters: programs that write reports about episodes, published by their owners under a name.

A hosted reporter is a WebAssembly component with versions, which manifests name as `owner/name@version`. An external
one runs elsewhere with a key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, String, cast, exists, func, or_, select
from sqlalchemy.orm import Session, selectinload

from observatory.accounts.principal import Principal
from observatory.cursors import CursorPage, Slice
from observatory.database.tables.coworlds import Reporter, ReporterVersion, RoleOutput, RoleRun
from observatory.errors import NotFound, Unprocessable
from observatory.public_ids import parse_public_id
from observatory.tokens import hash_token, mint_token

__all__ = [
    "ReporterFilter",
    "add_version",
    "existing_version",
    "list_reporters",
    "output_count",
    "own_reporter",
    "register",
    "reporter",
    "run_count",
    "version",
]

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,199}")
_REFERENCE = re.compile(r"([a-z0-9]+)/([a-z0-9][a-z0-9_.-]*)@([1-9][0-9]{0,8})")
_ESCAPE = "\\"


@dataclass(frozen=True)
class ReporterFilter:
    """Which reporters are listed; None leaves a field open."""

    mode: Literal["all", "hosted", "external"] = "all"
    q: str | None = None
    types: Sequence[str] = ()
    author: str | None = None
    schema_uri: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        hosted = exists().where(ReporterVersion.reporter_id == Reporter.id)
        if self.mode != "all":
            conditions.append(hosted if self.mode == "hosted" else ~hosted)
        if self.q:
            pattern = f"%{_escaped(self.q.lower())}%"
            texts = (Reporter.name, Reporter.display_name, Reporter.description)
            conditions.append(or_(*(func.lower(text).like(pattern, escape=_ESCAPE) for text in texts)))
        if self.author is not None:
            conditions.append(Reporter.user_id == self.author)
        if self.types:
            conditions.append(or_(*(_has_output("type", kind) for kind in self.types)))
        if self.schema_uri is not None:
            conditions.append(_has_output("schema", self.schema_uri))
        return conditions


def register(
    session: Session,
    principal: Principal,
    *,
    name: str,
    display_name: str,
    description: str,
    outputs: Sequence[dict[str, Any]],
    now: datetime,
) -> tuple[Reporter, str | None]:
    """Register a reporter, or change the description of the caller's own; a new one comes with its key."""
    if not _NAME.fullmatch(name):
        raise Unprocessable(
            f"The name of a reporter, {name[:80]!r}, must be at most 200 lower-case letters, digits, `_`, `.` and `-`, "
            "and begin with a letter or a digit"
        )
    row = own_reporter(session, principal.user_id, name)
    key = None
    if row is None:
        key = mint_token("rptr_")
        row = Reporter(user_id=principal.user_id, name=name, key_hash=hash_token(key), created_at=now, versions=[])
        session.add(row)
    row.display_name, row.description, row.outputs = display_name, description, list(outputs)
    session.flush()
    return row, key


def own_reporter(session: Session, user_id: str, name: str) -> Reporter | None:
    """Return the reporter of a user with this name."""
    statement = select(Reporter).where(Reporter.user_id == user_id, Reporter.name == name)
    return session.scalar(statement.options(selectinload(Reporter.versions)))


def reporter(session: Session, public_id: str) -> Reporter:
    """Return the reporter with a public id such as `rptr_...`."""
    statement = select(Reporter).where(Reporter.id == parse_public_id("rptr", public_id))
    row = session.scalar(statement.options(selectinload(Reporter.versions)))
    if row is None:
        raise NotFound(f"There is no reporter {public_id}")
    return row


def existing_version(row: Reporter, sha256: str, attributes: dict[str, Any]) -> ReporterVersion | None:
    """Return the version with the same content and attributes."""
    return next(
        (old for old in reversed(row.versions) if old.content_hash == sha256 and old.attributes == attributes), None
    )


def add_version(
    session: Session, row: Reporter, sha256: str, attributes: dict[str, Any], *, now: datetime
) -> ReporterVersion:
    """Add the next version, unless there is one with the same content and attributes."""
    version = existing_version(row, sha256, attributes)
    if version is None:
        number = max((old.version for old in row.versions), default=0) + 1
        version = ReporterVersion(
            reporter_id=row.id, version=number, content_hash=sha256, attributes=attributes, created_at=now
        )
        row.versions.append(version)
        session.flush()
    return version


def version(session: Session, reference: str) -> ReporterVersion | None:
    """Return the version that `owner/name@version` means."""
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        return None
    statement = (
        select(ReporterVersion)
        .join(Reporter, Reporter.id == ReporterVersion.reporter_id)
        .where(Reporter.user_id == match[1], Reporter.name == match[2], ReporterVersion.version == int(match[3]))
    )
    return session.scalar(statement)


def list_reporters(session: Session, filters: ReporterFilter, page: CursorPage) -> Slice[Reporter]:
    """Return a page of reporters, newest first."""
    statement = select(Reporter).where(*filters.conditions()).options(selectinload(Reporter.versions))
    return page.of(session, statement, Reporter.created_at, Reporter.id)


def run_count(session: Session, row: Reporter) -> int:
    versions = select(ReporterVersion.id).where(ReporterVersion.reporter_id == row.id)
    return session.scalar(select(func.count(RoleRun.id)).where(RoleRun.reporter_version_id.in_(versions))) or 0


def output_count(session: Session, row: Reporter) -> int:
    versions = select(ReporterVersion.id).where(ReporterVersion.reporter_id == row.id)
    runs = select(RoleRun.id).where(RoleRun.reporter_version_id.in_(versions))
    return session.scalar(select(func.count(RoleOutput.id)).where(RoleOutput.run_id.in_(runs))) or 0


def _has_output(key: str, value: str) -> ColumnElement[bool]:
    """Return the condition that an output has this value. Both databases write JSON with a space after the colon."""
    text = _escaped(f'"{key}": {json.dumps(value)}')
    return cast(Reporter.outputs, String).like(f"%{text}%", escape=_ESCAPE)


def _escaped(text: str) -> str:
    for special in (_ESCAPE, "%", "_"):
        text = text.replace(special, _ESCAPE + special)
    return text
