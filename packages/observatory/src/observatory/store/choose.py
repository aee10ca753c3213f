"""Create the store that the settings name."""

from __future__ import annotations

from observatory.clock import Clock
from observatory.keys import Keys
from observatory.settings import Settings
from observatory.store.base import Store

__all__ = ["make_store"]


def make_store(settings: Settings, keys: Keys, clock: Clock) -> Store:
    if settings.store == "s3":
        from observatory.store.s3 import S3Store

        if not settings.s3_bucket:
            raise ValueError("OBSERVATORY_STORE=s3 needs OBSERVATORY_S3_BUCKET")
        return S3Store(
            settings.s3_bucket,
            prefix=settings.s3_prefix,
            endpoint_url=settings.s3_endpoint_url,
            public_url=settings.s3_public_url,
        )
    from observatory.store.folder import FolderStore
    from observatory.store.signed import UrlSigner

    return FolderStore(settings.data_dir / "store", UrlSigner(keys.secret, settings.base_url(), clock))
