"""Grants: the hosts to which a policy version may connect, and whether its setup script may install packages."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts import audit
from observatory.database import new_id
from observatory.database.tables.policies import GrantReason, NetworkGrant, OwnerGrant, Policy, PolicyVersion
from observatory.errors import NotFound
from observatory.policies.secrets import wants_models

__all__ = [
    "PACKAGE_INDEX",
    "GrantScope",
    "Scoped",
    "allowed_hosts",
    "grant_by_operator",
    "grant_for_secrets",
    "grants",
    "may_use_index",
    "owner_grants",
    "revoke",
]

PACKAGE_INDEX = "@package-index"
"""in place of a host: the worker's package index, for setup scripts; not a valid host, so no manifest can declare it"""


class GrantScope(StrEnum):
    """What a grant of an administrator is for."""

    VERSION = "version"
    """one policy version"""
    OWNER = "owner"
    """all versions of its owner, also those to come"""


@dataclass(frozen=True)
class Scoped:
    """A host, or `PACKAGE_INDEX`, and the scope of the grant."""

    host: str
    scope: GrantScope = GrantScope.VERSION


def grant_for_secrets(
    session: Session,
    policy_version_id: uuid.UUID,
    *,
    secrets: Mapping[str, str],
    declared: Sequence[str],
    gateway: Sequence[str],
    now: datetime,
) -> None:
    """What a new version gets: with secrets, the hosts its bundle names; with USE_BEDROCK, the operator's gateway."""
    reasons: dict[str, GrantReason] = {}
    if wants_models(secrets):
        reasons |= dict.fromkeys(gateway, GrantReason.MODEL_GATEWAY)
    if secrets:
        reasons |= {host: GrantReason.DECLARED for host in declared if host not in reasons}
    for host, reason in reasons.items():
        _add(session, policy_version_id, host, reason, granted_by=None, now=now)
    session.flush()


def grant_by_operator(
    session: Session, version: PolicyVersion, scoped: Scoped, *, actor_id: str, now: datetime
) -> None:
    """Allow a version, or all versions of its owner, to connect to a host; recorded in the audit log."""
    if _find(session, version, scoped) is not None:
        return
    if scoped.scope is GrantScope.OWNER:
        owner, row_id = version.policy.user_id, new_id()
        session.add(OwnerGrant(id=row_id, user_id=owner, host=scoped.host, granted_by=actor_id, created_at=now))
    else:
        _add(session, version.id, scoped.host, GrantReason.OPERATOR, granted_by=actor_id, now=now)
    _audit(session, "network.grant", version, scoped, actor_id=actor_id, now=now)
    session.flush()


def revoke(session: Session, version: PolicyVersion, scoped: Scoped, *, actor_id: str, now: datetime) -> None:
    """Revoke a grant of any administrator; `NotFound` if there is none."""
    row = _find(session, version, scoped)
    if row is None:
        raise NotFound(f"There is no grant of {scoped.host} for this {scoped.scope.value}")
    session.delete(row)
    _audit(session, "network.revoke", version, scoped, actor_id=actor_id, now=now)
    session.flush()


def grants(session: Session, policy_version_id: uuid.UUID) -> list[NetworkGrant]:
    """Those of the version alone."""
    statement = select(NetworkGrant).where(NetworkGrant.policy_version_id == policy_version_id)
    return list(session.scalars(statement.order_by(NetworkGrant.host)))


def owner_grants(session: Session, policy_version_id: uuid.UUID) -> list[OwnerGrant]:
    """Those of all versions of the owner."""
    statement = select(OwnerGrant).join(Policy, Policy.user_id == OwnerGrant.user_id)
    statement = statement.join(PolicyVersion, PolicyVersion.policy_id == Policy.id)
    return list(session.scalars(statement.where(PolicyVersion.id == policy_version_id).order_by(OwnerGrant.host)))


def allowed_hosts(session: Session, policy_version_id: uuid.UUID) -> list[str]:
    """Return the hosts to which a policy may connect while it plays, sorted."""
    return sorted(_granted(session, policy_version_id) - {PACKAGE_INDEX})


def may_use_index(session: Session, policy_version_id: uuid.UUID) -> bool:
    """Return whether the setup script of a version may install packages."""
    return PACKAGE_INDEX in _granted(session, policy_version_id)


def _granted(session: Session, policy_version_id: uuid.UUID) -> set[str]:
    of_version = {grant.host for grant in grants(session, policy_version_id)}
    return of_version | {grant.host for grant in owner_grants(session, policy_version_id)}


def _find(session: Session, version: PolicyVersion, scoped: Scoped) -> NetworkGrant | OwnerGrant | None:
    if scoped.scope is GrantScope.OWNER:
        of_owner = OwnerGrant.user_id == version.policy.user_id
        return session.scalar(select(OwnerGrant).where(of_owner, OwnerGrant.host == scoped.host))
    of_version = NetworkGrant.policy_version_id == version.id
    return session.scalar(select(NetworkGrant).where(of_version, NetworkGrant.host == scoped.host))


def _audit(
    session: Session, action: str, version: PolicyVersion, scoped: Scoped, *, actor_id: str, now: datetime
) -> None:
    policy = version.policy
    owned = scoped.scope is GrantScope.OWNER
    audit.record(
        session,
        actor_id,
        action,
        now=now,
        host=scoped.host,
        scope=scoped.scope.value,
        owner=policy.user.email,
        policy=None if owned else f"{policy.name}:v{version.version}",
        policy_version_id=None if owned else str(version.id),
    )


def _add(
    session: Session,
    policy_version_id: uuid.UUID,
    host: str,
    reason: GrantReason,
    *,
    granted_by: str | None,
    now: datetime,
) -> None:
    session.add(
        NetworkGrant(
            id=new_id(),
            policy_version_id=policy_version_id,
            host=host,
            reason=reason,
            granted_by=granted_by,
            created_at=now,
        )
    )
