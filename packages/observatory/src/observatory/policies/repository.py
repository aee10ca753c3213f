"""All queries for policies. Names and versions are public; only the owner sees the key of a bundle."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session, aliased, contains_eager, joinedload

from observatory.cursors import CursorPage, Slice
from observatory.database.tables.policies import Policy, PolicyKind, PolicyVersion, Upload
from observatory.errors import NotFound
from observatory.paging import Page, count

__all__ = ["PolicyFilter", "VersionFilter", "policies", "policy", "upload", "version", "versions"]

_ESCAPE = "\\"


@dataclass(frozen=True)
class PolicyFilter:
    """Which policies are wanted; None leaves a field open."""

    name_exact: str | None = None
    name_fuzzy: str | None = None
    user_id: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if self.name_exact is not None:
            conditions.append(Policy.name == self.name_exact)
        if self.name_fuzzy is not None:
            conditions.append(func.lower(Policy.name).like(_pattern(self.name_fuzzy), escape=_ESCAPE))
        if self.user_id is not None:
            conditions.append(Policy.user_id == self.user_id)
        return conditions


@dataclass(frozen=True)
class VersionFilter(PolicyFilter):
    version: int | None = None
    ids: Sequence[uuid.UUID] | None = None
    policy_id: uuid.UUID | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions = super().conditions()
        if self.version is not None:
            conditions.append(PolicyVersion.version == self.version)
        if self.ids is not None:
            conditions.append(PolicyVersion.id.in_(self.ids))
        if self.policy_id is not None:
            conditions.append(PolicyVersion.policy_id == self.policy_id)
        return conditions


def version(session: Session, policy_version_id: uuid.UUID) -> PolicyVersion:
    row: PolicyVersion | None = session.scalar(_versions().where(PolicyVersion.id == policy_version_id))
    if row is None:
        raise NotFound(f"There is no policy version {policy_version_id}")
    return row


def versions(session: Session, filters: VersionFilter, page: Page) -> tuple[list[PolicyVersion], int]:
    """Return a page of versions, newest first, and how many there are."""
    statement = _versions().where(*filters.conditions())
    total = count(session, select(PolicyVersion.id).join(Policy).where(*filters.conditions()))
    order = (PolicyVersion.created_at.desc(), PolicyVersion.version.desc(), PolicyVersion.id.desc())
    return list(session.scalars(statement.order_by(*order).limit(page.limit).offset(page.offset))), total


def versions_after(session: Session, filters: VersionFilter, page: CursorPage) -> tuple[Slice[PolicyVersion], int]:
    """Return a page of versions, newest first, and how many there are."""
    total = count(session, select(PolicyVersion.id).join(Policy).where(*filters.conditions()))
    statement = _versions().where(*filters.conditions())
    return page.of(session, statement, PolicyVersion.created_at, PolicyVersion.id), total


def version_of_file(session: Session, user_id: str, sha256: str, name: str | None = None) -> PolicyVersion | None:
    """Return the latest version of a user that is this file, of a policy of this name or of any."""
    of_file = (Policy.user_id == user_id, PolicyVersion.kind == PolicyKind.FILE, PolicyVersion.bundle_sha256 == sha256)
    statement = _versions().where(*of_file)
    if name is not None:
        statement = statement.where(Policy.name == name)
    row: PolicyVersion | None = session.scalars(statement.order_by(PolicyVersion.created_at.desc()).limit(1)).first()
    return row


def is_name_taken(session: Session, name: str, user_id: str, player_ids: Sequence[str | None]) -> bool:
    """Return whether another user, or another player of this user, has a policy of a name."""
    of_others = select(Policy.id).where(Policy.name == name, Policy.user_id != user_id)
    if session.scalar(of_others.limit(1)) is not None:
        return True
    own = policy_by_name(session, user_id, name)
    if own is None:
        return False
    uploaders = select(PolicyVersion.player_id).where(PolicyVersion.policy_id == own.id)
    last = session.execute(uploaders.order_by(PolicyVersion.version.desc()).limit(1)).first()
    return last is not None and last[0] not in player_ids


def last_version_number(session: Session, policy_id: uuid.UUID) -> int:
    """Return the number of the latest version; 0 if there is none."""
    statement = select(func.max(PolicyVersion.version)).where(PolicyVersion.policy_id == policy_id)
    return session.scalar(statement) or 0


def policy(session: Session, policy_id: uuid.UUID) -> Policy:
    row = session.get(Policy, policy_id)
    if row is None:
        raise NotFound(f"There is no policy {policy_id}")
    return row


def policy_by_name(session: Session, user_id: str, name: str) -> Policy | None:
    return session.scalar(select(Policy).where(Policy.user_id == user_id, Policy.name == name))


def policy_count(session: Session, user_id: str) -> int:
    return count(session, select(Policy.id).where(Policy.user_id == user_id))


@dataclass(frozen=True)
class PolicyWithLatest:
    policy: Policy
    version_count: int
    latest: PolicyVersion | None


def policies(session: Session, filters: PolicyFilter, page: Page) -> tuple[list[PolicyWithLatest], int]:
    """Return a page of policies, newest first, with their latest versions."""
    ids = select(Policy.id).where(*filters.conditions())
    latest_number = (
        select(PolicyVersion.policy_id, func.max(PolicyVersion.version).label("number"), func.count().label("versions"))
        .group_by(PolicyVersion.policy_id)
        .subquery()
    )
    latest = aliased(PolicyVersion)
    statement = (
        select(Policy, latest_number.c.versions, latest)
        .outerjoin(latest_number, latest_number.c.policy_id == Policy.id)
        .outerjoin(latest, (latest.policy_id == Policy.id) & (latest.version == latest_number.c.number))
        .where(*filters.conditions())
        .options(joinedload(Policy.user))
        .order_by(Policy.created_at.desc(), Policy.id.desc())
        .limit(page.limit)
        .offset(page.offset)
    )
    rows = [PolicyWithLatest(policy, number or 0, last) for policy, number, last in session.execute(statement)]
    return rows, count(session, ids)


def upload(session: Session, upload_id: uuid.UUID, *, user_id: str, kind: str) -> Upload | None:
    """Return an upload of this user."""
    statement = select(Upload).where(Upload.id == upload_id, Upload.user_id == user_id, Upload.kind == kind)
    return session.scalar(statement)


def upload_of_key(session: Session, key: str) -> Upload | None:
    """Return the latest pending upload to a key."""
    pending = (Upload.key == key, Upload.completed_at.is_(None))
    return session.scalars(select(Upload).where(*pending).order_by(Upload.created_at.desc()).limit(1)).first()


def open_uploads(session: Session, user_id: str, *, since: Any) -> int:
    """Count the pending uploads of a user that began after a time."""
    waiting = (Upload.user_id == user_id, Upload.completed_at.is_(None), Upload.created_at > since)
    return count(session, select(Upload.id).where(*waiting))


def _versions() -> Select[Any]:
    policy = contains_eager(PolicyVersion.policy).joinedload(Policy.user)
    return select(PolicyVersion).join(PolicyVersion.policy).options(policy)


def _pattern(text: str) -> str:
    for special in (_ESCAPE, "%", "_"):
        text = text.replace(special, _ESCAPE + special)
    return f"%{text.lower()}%"
