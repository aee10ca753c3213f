"""The keys of objects in the store."""

from __future__ import annotations

import uuid

__all__ = [
    "BLOBS",
    "BLOB_UPLOADS",
    "CONTENT",
    "CONTENT_UPLOADS",
    "EPISODE_UPLOADS",
    "FILE_UPLOADS",
    "POLICY_FILES",
    "SUBMISSIONS",
    "blob_key",
    "blob_upload_prefix",
    "bundle_key",
    "chunk_key",
    "file_upload_key",
    "job_key",
    "policy_file_key",
    "upload_key",
]

BLOBS = "images/blobs/"
BLOB_UPLOADS = "images/uploads/"
CONTENT = "content/"
CONTENT_UPLOADS = "content-uploads/"
EPISODE_UPLOADS = "episodes/uploads/"
FILE_UPLOADS = "policies/incoming/"
POLICY_FILES = "policies/files/"
SUBMISSIONS = "cogames/submissions/"


def upload_key(user_id: str, upload_id: uuid.UUID) -> str:
    """Return the key for an upload of a bundle."""
    return f"{SUBMISSIONS}{user_id}/{upload_id}.zip"


def bundle_key(policy_version_id: uuid.UUID) -> str:
    """Return the key of a version's bundle. No upload URL is ever signed for it."""
    return f"policies/{policy_version_id}.zip"


def job_key(job_id: uuid.UUID, name: str) -> str:
    """Return the key of a job's file: `spec.json`, `results.json`, `replay.json.z`, `policy_agent_0.txt`, ..."""
    return f"jobs/{job_id}/{name}"


def file_upload_key(user_id: str, sha256: str) -> str:
    """Return the key for an upload of a policy that is a file."""
    return f"{FILE_UPLOADS}{user_id}/{sha256}"


def policy_file_key(sha256: str) -> str:
    """Return the key of a policy that is a file. No upload URL is ever signed for it."""
    return POLICY_FILES + sha256


def blob_key(digest: str) -> str:
    """Return the key of a blob of images; the digest is `sha256:<hex>`."""
    return BLOBS + digest.replace(":", "/")


def blob_upload_prefix(upload_id: uuid.UUID) -> str:
    """Return the prefix of the chunks of an upload."""
    return f"{BLOB_UPLOADS}{upload_id}/"


def chunk_key(upload_id: uuid.UUID, offset: int) -> str:
    """Return the key of a chunk. Keys sort by offset."""
    return f"{blob_upload_prefix(upload_id)}{offset:015d}"


def content_key(kind: str, sha256: str) -> str:
    """Return the key of a file of Coworlds under its digest. No upload URL is ever signed for it."""
    return f"{CONTENT}{kind}/{sha256}"


def content_upload_key(user_id: str, kind: str, sha256: str) -> str:
    """Return the key for an upload of such a file, before its digest is checked."""
    return f"{CONTENT_UPLOADS}{user_id}/{kind}/{sha256}"
