"""The keys of objects in the store."""

from __future__ import annotations

import uuid

__all__ = ["bundle_key", "job_key", "upload_key"]


def upload_key(user_id: str, upload_id: uuid.UUID) -> str:
    """Return the key for an upload of a bundle."""
    return f"cogames/submissions/{user_id}/{upload_id}.zip"


def bundle_key(policy_version_id: uuid.UUID) -> str:
    """Return the key of a version's bundle. No upload URL is ever signed for it."""
    return f"policies/{policy_version_id}.zip"


def job_key(job_id: uuid.UUID, name: str) -> str:
    """Return the key of a job's file: `spec.json`, `results.json`, `replay.json.z`, `policy_agent_0.txt`, ..."""
    return f"jobs/{job_id}/{name}"
