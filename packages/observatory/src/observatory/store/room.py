"""Whether the store has room for the files of one more episode."""

from __future__ import annotations

import logging
import time

from observatory.store.base import Store

__all__ = ["StoreRoom"]

logger = logging.getLogger(__name__)

_SAY_AGAIN_SECONDS = 60.0
_said_at = float("-inf")


class StoreRoom:
    """Stops episodes before the disk is full: queued jobs wait, and everything else still works."""

    def __init__(self, store: Store, least: int) -> None:
        self._store = store
        self._least = least

    def is_left(self) -> bool:
        """Return whether there is room; a store without room is logged once a minute."""
        global _said_at
        free = self._store.free_bytes()
        if free is None or free >= self._least:
            return True
        if time.monotonic() >= _said_at + _SAY_AGAIN_SECONDS:
            _said_at = time.monotonic()
            logger.error("No job is given out: the store has %d MB left and needs %d", free >> 20, self._least >> 20)
        return False
