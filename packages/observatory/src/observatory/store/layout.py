"""The names things have in the store."""

from __future__ import annotations

import uuid

__all__ = ["bundle_key", "job_key", "upload_key"]


def upload_key(user_id: str, upload_id: uuid.UUID) -> str:
    """Where a client puts a bundle."""
    return f"cogames/submissions/{user_id}/{upload_id}.zip"


def bundle_key(policy_version_id: uuid.UUID) -> str:
    """Where a bundle lies once it is a version. No URL to write there is ever signed."""
    return f"policies/{policy_version_id}.zip"


def job_key(job_id: uuid.UUID, name: str) -> str:
    """A file of a job: `spec.json`, `results.json`, `replay.json.z`, `logs.txt`, `policy_agent_0.txt`, ..."""
    return f"jobs/{job_id}/{name}"
