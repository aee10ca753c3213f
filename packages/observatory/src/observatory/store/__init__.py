"""Object storage: a folder of the server, or an S3-compatible store."""

from observatory.store.base import Missing, Store
from observatory.store.choose import make_store
from observatory.store.layout import bundle_key, job_key, upload_key

__all__ = ["Missing", "Store", "bundle_key", "job_key", "make_store", "upload_key"]
