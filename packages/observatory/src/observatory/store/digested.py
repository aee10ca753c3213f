"""Files that are stored once, under their digest, whoever sent them."""

from __future__ import annotations

from observatory.locks import KeyedLocks

__all__ = ["digested_files"]

digested_files = KeyedLocks()
"""by key: one task at a time checks and records such a file, or removes it because no row knows it"""
