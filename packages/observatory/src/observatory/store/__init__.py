"""Object storage: a folder of the server, or an S3-compatible store."""

from observatory.store.base import Missing, Store
from observatory.store.choose import make_store
from observatory.store.layout import bundle_key, file_upload_key, job_key, policy_file_key, upload_key

__all__ = [
    "Missing",
    "Store",
    "bundle_key",
    "file_upload_key",
    "job_key",
    "make_store",
    "policy_file_key",
    "upload_key",
]
