"""Convert policies to response models."""

from __future__ import annotations

from observatory.accounts.principal import Principal
from observatory.accounts.service import user_row
from observatory.database.tables.policies import PolicyVersion
from observatory.policies.repository import PolicyWithLatest
from softmax.wire import PolicyRow, PolicyVersionRow, PolicyVersionSummary

__all__ = ["policy_row", "version_row", "version_summary"]


def version_row(version: PolicyVersion, principal: Principal | None) -> PolicyVersionRow:
    policy = version.policy
    is_owner = principal is not None and principal.user_id == policy.user_id
    return PolicyVersionRow(
        user_id=policy.user_id,
        user=user_row(policy.user),
        id=version.id,
        policy_id=policy.id,
        name=policy.name,
        version=version.version,
        created_at=version.created_at,
        policy_created_at=policy.created_at,
        tags=version.tags,
        attributes=version.attributes if is_owner else {},
        s3_path=version.bundle_key if is_owner else None,
        container_image_id=version.container_image_id,
        kind=version.kind.value,
        policy_version_id=version.id,
        policy_name=policy.name,
    )


def version_summary(version: PolicyVersion) -> PolicyVersionSummary:
    return PolicyVersionSummary(id=version.id, name=version.policy.name, version=version.version)


def policy_row(row: PolicyWithLatest, principal: Principal | None) -> PolicyRow:
    policy, latest = row.policy, row.latest
    is_owner = principal is not None and principal.user_id == policy.user_id
    return PolicyRow(
        user_id=policy.user_id,
        user=user_row(policy.user),
        id=policy.id,
        name=policy.name,
        created_at=policy.created_at,
        attributes=policy.attributes if is_owner else {},
        version_count=row.version_count,
        latest_version_id=None if latest is None else latest.id,
        latest_version=None if latest is None else latest.version,
        latest_version_created_at=None if latest is None else latest.created_at,
    )
