"""Rules for a bucket: S3 itself removes uploads that were never completed, and lets the pages read."""

from __future__ import annotations

from typing import Any

from observatory.settings import Settings
from observatory.store.layout import BLOB_UPLOADS, CONTENT_UPLOADS, EPISODE_UPLOADS, FILE_UPLOADS, SUBMISSIONS

__all__ = ["bucket_cors", "bucket_lifecycle"]

UPLOAD_DAYS = 7
"""The server removes an upload after a day; this is for a server that does not run."""
PART_DAYS = 2
NONCURRENT_DAYS = 35
"""In a bucket with versions, removed files can be recovered for as long as the database to a point in time."""
MAX_AGE_SECONDS = 3600


def bucket_lifecycle(settings: Settings) -> dict[str, Any]:
    """Return the lifecycle: only prefixes of uploads that no row names once they are completed expire."""
    prefix = f"{settings.s3_prefix.strip('/')}/" if settings.s3_prefix.strip("/") else ""
    rules: list[dict[str, Any]] = [
        {
            "ID": f"expire {name}",
            "Status": "Enabled",
            "Filter": {"Prefix": prefix + name},
            "Expiration": {"Days": UPLOAD_DAYS},
        }
        for name in (SUBMISSIONS, EPISODE_UPLOADS, FILE_UPLOADS, CONTENT_UPLOADS, BLOB_UPLOADS)
    ]
    rules.append(
        {
            "ID": "expire replaced versions",
            "Status": "Enabled",
            "Filter": {"Prefix": prefix},
            "NoncurrentVersionExpiration": {"NoncurrentDays": NONCURRENT_DAYS},
        }
    )
    rules.append(
        {
            "ID": "abort multipart uploads",
            "Status": "Enabled",
            "Filter": {"Prefix": prefix},
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": PART_DAYS},
        }
    )
    return {"Rules": rules}


def bucket_cors(settings: Settings) -> dict[str, Any]:
    """Return which pages may read objects, or ranges of them, and send uploads: those of this server."""
    return {
        "CORSRules": [
            {
                "AllowedOrigins": [settings.base_url()],
                "AllowedMethods": ["GET", "HEAD", "PUT"],
                # The pages of administrators send the last one, and browsers repeat it after a redirect.
                "AllowedHeaders": ["content-type", "range", "if-match", "x-use-elevated-privileges"],
                "ExposeHeaders": ["ETag", "Content-Length", "Content-Range", "Accept-Ranges"],
                "MaxAgeSeconds": MAX_AGE_SECONDS,
            }
        ]
    }
