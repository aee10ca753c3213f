"""Policy versions as pages name them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from observatory.database.cache import cached_value
from observatory.database.tables.accounts import User
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.seasons import PoolPlayer
from observatory.events import ChangeKind
from observatory.pages.schemas import PolicyRef

__all__ = ["author_name", "names_in_pools", "names_of", "policy_ref"]

NAMELESS = "somebody"
_NAMES = (ChangeKind.ACCOUNT, ChangeKind.POLICY)
_DEPENDENCIES = (*_NAMES, ChangeKind.MEMBERSHIP)
_Names = Select[uuid.UUID, uuid.UUID, str, int, str | None, str]


def author_name(name: str | None) -> str:
    return name or NAMELESS


def policy_ref(version: PolicyVersion) -> PolicyRef:
    policy = version.policy
    return PolicyRef(
        id=version.id,
        policy_id=policy.id,
        name=policy.name,
        version=version.version,
        author=author_name(policy.user.name),
        author_id=policy.user_id,
    )


def names_of(session: Session, versions: Iterable[uuid.UUID]) -> dict[uuid.UUID, PolicyRef]:
    """By the id of the version. Each name is read once, however many responses show it."""
    wanted = set(versions)
    known: dict[uuid.UUID, PolicyRef] = cached_value(session, "policy names", _NAMES, dict)
    missing = wanted - known.keys()
    if missing:
        known.update(_read(session, _statement().where(PolicyVersion.id.in_(missing))))
    return {version: known[version] for version in wanted if version in known}


def names_in_pools(session: Session, pool_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, PolicyRef]:
    """Return the names of all policies that are or were in one of the pools."""
    pools = tuple(pool_ids)
    in_pools = select(PoolPlayer.policy_version_id).where(PoolPlayer.pool_id.in_(pools))
    statement = _statement().where(PolicyVersion.id.in_(in_pools))
    return cached_value(session, ("names", pools), _DEPENDENCIES, lambda: _read(session, statement))


def _statement() -> _Names:
    return (
        select(PolicyVersion.id, Policy.id, Policy.name, PolicyVersion.version, User.name, User.id)
        .join(Policy, PolicyVersion.policy_id == Policy.id)
        .join(User, Policy.user_id == User.id)
    )


def _read(session: Session, statement: _Names) -> dict[uuid.UUID, PolicyRef]:
    return {
        version: PolicyRef(
            id=version, policy_id=policy, name=name, version=number, author=author_name(author), author_id=author_id
        )
        for version, policy, name, number, author, author_id in session.execute(statement)
    }
