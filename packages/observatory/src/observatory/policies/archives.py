"""Where the store has the bundle or file of a policy version."""

from __future__ import annotations

from observatory.database.tables.policies import PolicyKind, PolicyVersion
from observatory.store import policy_file_key

__all__ = ["archive_key"]


def archive_key(version: PolicyVersion) -> str | None:
    """Return the key of a version's bundle or file; None for an image, and for a version that cannot play."""
    if version.kind is PolicyKind.FILE and version.bundle_sha256 is not None:
        return policy_file_key(version.bundle_sha256)
    return version.bundle_key
