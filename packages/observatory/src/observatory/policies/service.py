"""Rules for policies: new names, new versions, ownership."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory import events
from observatory.accounts.principal import Principal
from observatory.database import new_id
from observatory.database.tables.policies import Policy, PolicyKind, PolicyVersion, SelectionScope
from observatory.errors import Conflict, Forbidden, Unprocessable
from observatory.events import Change, ChangeKind
from observatory.keys import Keys
from observatory.policies import repository
from observatory.policies.bundles import BundleFacts
from observatory.policies.grants import grant_for_secrets
from observatory.policies.names import check_policy_name
from observatory.policies.secrets import requested_hosts, store_secrets
from observatory.quotas import check_stored_bytes
from observatory.settings import Settings

__all__ = ["NewVersion", "add_version", "check_tags", "get_or_create_policy", "own_policy", "own_version"]

MAX_TAGS = 100
MAX_TAG_CHARACTERS = 500
LAST_VERSION = "last_version"
"""attribute of a policy: the highest number of a deleted version, which no other version gets"""


@dataclass(frozen=True)
class NewVersion:
    """A version to be created. Its id is known in advance, because the key of its bundle contains it."""

    id: uuid.UUID = field(default_factory=new_id)
    bundle_key: str | None = None
    facts: BundleFacts | None = None
    """of its bundle, or of its file when there is no key of a bundle"""
    container_image_id: str | None = None
    spec: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def kind(self) -> PolicyKind:
        if self.container_image_id is not None:
            return PolicyKind.IMAGE
        if self.facts is None:
            return PolicyKind.DESCRIPTION
        return PolicyKind.FILE if self.bundle_key is None else PolicyKind.BUNDLE


def get_or_create_policy(
    session: Session,
    principal: Principal,
    name: str,
    *,
    settings: Settings,
    now: datetime,
    attributes: Mapping[str, Any] | None = None,
) -> Policy:
    """Return the user's policy of a name, created if it does not exist."""
    name = check_policy_name(name)
    existing = repository.policy_by_name(session, principal.user_id, name)
    if existing is not None:
        return existing
    if repository.policy_count(session, principal.user_id) >= settings.max_policies_per_user:
        raise Conflict(
            f"You have {settings.max_policies_per_user} policies, which is the maximum; use one of their names"
        )
    policy = Policy(
        id=new_id(), user_id=principal.user_id, name=name, attributes=dict(attributes or {}), created_at=now
    )
    session.add(policy)
    session.flush()
    events.note(session, Change(ChangeKind.POLICY))
    return policy


def add_version(
    session: Session,
    principal: Principal,
    policy: Policy,
    new: NewVersion,
    *,
    settings: Settings,
    keys: Keys,
    now: datetime,
) -> PolicyVersion:
    """Create the next version of a policy, with its secrets and network grants."""
    used = policy.attributes.get(LAST_VERSION)
    number = max(repository.last_version_number(session, policy.id), used if isinstance(used, int) else 0) + 1
    if number > settings.max_versions_per_policy:
        raise Conflict(f"{policy.name} has {number - 1} versions, which is the maximum; use another name")
    facts = new.facts
    check_stored_bytes(session, principal.user_id, 0 if facts is None else facts.size, settings=settings)
    version = PolicyVersion(
        id=new.id,
        policy_id=policy.id,
        version=number,
        player_id=principal.player_id,
        kind=new.kind,
        container_image_id=new.container_image_id,
        bundle_key=new.bundle_key,
        bundle_bytes=None if facts is None else facts.size,
        bundle_sha256=None if facts is None else facts.sha256,
        spec=dict(new.spec if facts is None else facts.spec),
        attributes=dict(new.attributes),
        tags=check_tags(new.tags),
        created_at=now,
    )
    version.policy = policy
    session.add(version)
    session.flush()
    events.note(session, Change(ChangeKind.POLICY, ids=frozenset({version.id})))
    if new.secrets:
        store_secrets(session, keys, version.id, new.secrets, now=now)
        grant_for_secrets(
            session,
            version.id,
            secrets=new.secrets,
            declared=[*([] if facts is None else facts.network_hosts), *requested_hosts(new.secrets)],
            gateway=settings.model_gateway_hosts,
            now=now,
        )
    return version


def own_policy(session: Session, principal: Principal, policy_id: uuid.UUID) -> Policy:
    """Return a policy of the caller; `Forbidden` for another's."""
    policy = repository.policy(session, policy_id)
    if policy.user_id != principal.user_id:
        raise Forbidden("This policy belongs to another user")
    return policy


def own_version(session: Session, principal: Principal, policy_version_id: uuid.UUID) -> PolicyVersion:
    """Return a version of the caller; `Forbidden` for another's."""
    version = repository.version(session, policy_version_id)
    if version.policy.user_id != principal.user_id:
        raise Forbidden("This policy version belongs to another user")
    return version


def set_selection_scope(session: Session, principal: Principal, policy_id: uuid.UUID, scope: SelectionScope) -> Policy:
    """Set who may give a policy of the caller a seat in an episode on request."""
    policy = own_policy(session, principal, policy_id)
    policy.selection_scope = scope
    session.flush()
    events.note(session, Change(ChangeKind.POLICY))
    return policy


def set_tags(
    session: Session, principal: Principal, policy_version_id: uuid.UUID, tags: Mapping[str, str]
) -> PolicyVersion:
    """Replace the tags of a version of the caller."""
    version = own_version(session, principal, policy_version_id)
    version.tags = check_tags(tags)
    session.flush()
    events.note(session, Change(ChangeKind.POLICY, ids=frozenset({version.id})))
    return version


def check_tags(tags: Mapping[str, str]) -> dict[str, str]:
    if len(tags) > MAX_TAGS or any(len(text) > MAX_TAG_CHARACTERS for pair in tags.items() for text in pair):
        raise Unprocessable(f"At most {MAX_TAGS} tags of at most {MAX_TAG_CHARACTERS} characters are allowed")
    return dict(tags)
