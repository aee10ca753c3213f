"""Whether the store has room for the files of one more episode."""

from __future__ import annotations

import logging
import time

from observatory.store.base import Store

__all__ = ["StoreRoom"]

logger = logging.getLogger(__name__)

_LOG_AGAIN_SECONDS = 60.0
_logged_at = float("-inf")


class StoreRoom:
    """Stops episodes before the disk is full: queued jobs wait, and everything else still works."""

    def __init__(self, store: Store, min_free_bytes: int) -> None:
        self._store = store
        self._min_free_bytes = min_free_bytes

    def is_left(self) -> bool:
        """Return whether there is room; a store without room is logged once a minute."""
        global _logged_at
        free = self._store.free_bytes()
        if free is None or free >= self._min_free_bytes:
            return True
        if time.monotonic() >= _logged_at + _LOG_AGAIN_SECONDS:
            _logged_at = time.monotonic()
            logger.error(
                "No job is given out: the store has %d MB left and needs %d", free >> 20, self._min_free_bytes >> 20
            )
        return False
