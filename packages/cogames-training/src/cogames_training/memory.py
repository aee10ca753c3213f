"""Keep the memory of the process: a minibatch needs the same amounts again and again."""

from __future__ import annotations

import ctypes

__all__ = ["keep_freed_memory"]

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc
LARGEST_BLOCK = 32 * 2**20  # larger ones are always returned
MOST_FREE = 512 * 2**20


def keep_freed_memory() -> None:
    """Let freed memory be used again, instead of returning it to the system and getting it back page by page."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library
        return
    mallopt(M_MMAP_THRESHOLD, LARGEST_BLOCK)
    mallopt(M_TRIM_THRESHOLD, MOST_FREE)
