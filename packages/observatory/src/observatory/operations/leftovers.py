"""Remove files from the store that no row knows: a server that was killed has left them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from datetime import datetime, timedelta

import anyio.to_thread
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.database import Database
from observatory.database.tables.coworlds import ContentFile, ContentState
from observatory.database.tables.policies import PolicyKind, PolicyVersion, Upload
from observatory.store import Store, policy_file_key
from observatory.store.digested import digested_files
from observatory.store.layout import (
    CONTENT,
    CONTENT_UPLOADS,
    EPISODE_UPLOADS,
    FILE_UPLOADS,
    POLICY_FILES,
    SUBMISSIONS,
    content_key,
)

__all__ = ["remove_leftovers"]


GRACE = timedelta(hours=1)
"""Another server may be about to record a file that it has just written: newer files without a row stay."""


async def remove_leftovers(database: Database, store: Store, now: datetime) -> int:
    """Remove uploads that are not pending, and files of policies and Coworlds that were not recorded; how many.

    The first are also those that came through a URL that was used before, after their upload was completed.
    """
    removed = 0
    for key in await _keys(store, CONTENT_UPLOADS, FILE_UPLOADS, SUBMISSIONS, EPISODE_UPLOADS):
        if not await database.query(functools.partial(_is_pending, key=key)):
            await anyio.to_thread.run_sync(store.delete, key)
            removed += 1
    known = await database.query(_known_files)
    for key in await _keys(store, CONTENT, POLICY_FILES):
        if key in known:
            continue
        async with digested_files.held(key):
            written = await anyio.to_thread.run_sync(store.modified_at, key)
            if written is None or written > now - GRACE:
                continue
            if key not in await database.query(_known_files):
                await anyio.to_thread.run_sync(store.delete, key)
                removed += 1
    return removed


async def _keys(store: Store, *prefixes: str) -> Sequence[str]:
    return [key for prefix in prefixes for key in await anyio.to_thread.run_sync(store.keys, prefix)]


def _is_pending(session: Session, *, key: str) -> bool:
    pending = (Upload.key == key, Upload.completed_at.is_(None))
    return session.scalar(select(Upload.id).where(*pending).limit(1)) is not None


def _known_files(session: Session) -> set[str]:
    contents = select(ContentFile.kind, ContentFile.sha256).where(ContentFile.state == ContentState.READY)
    policies = select(PolicyVersion.bundle_sha256).where(PolicyVersion.kind == PolicyKind.FILE)
    return {content_key(kind, sha256) for kind, sha256 in session.execute(contents)} | {
        policy_file_key(sha256) for sha256 in session.scalars(policies) if sha256 is not None
    }
