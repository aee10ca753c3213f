"""Which hosts a policy version may speak to: none, unless a row says so."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database import new_id
from observatory.policies.secrets import wants_models
from observatory.policies.tables import GrantReason, NetworkGrant

__all__ = ["allowed_hosts", "grant_by_operator", "grant_for_secrets", "grants"]


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
    session: Session, policy_version_id: uuid.UUID, host: str, *, granted_by: str, now: datetime
) -> None:
    """One host more; does nothing when the version may reach it already."""
    if host not in allowed_hosts(session, policy_version_id):
        _add(session, policy_version_id, host, GrantReason.OPERATOR, granted_by=granted_by, now=now)
        session.flush()


def grants(session: Session, policy_version_id: uuid.UUID) -> list[NetworkGrant]:
    statement = select(NetworkGrant).where(NetworkGrant.policy_version_id == policy_version_id)
    return list(session.scalars(statement.order_by(NetworkGrant.host)))


def allowed_hosts(session: Session, policy_version_id: uuid.UUID) -> list[str]:
    """The hosts, sorted."""
    return [grant.host for grant in grants(session, policy_version_id)]


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
