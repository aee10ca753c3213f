"""Derive the seeds of a season from its own seed, independent of who plays: all policies get the same games."""

from __future__ import annotations

import hashlib
import hmac

__all__ = ["drawing_seed", "map_seed", "match_seed", "policy_seed"]


def match_seed(season_seed: int, pool_name: str, split_index: int, sample: int) -> int:
    """Return the seed of a game: 31 bits that cannot be derived without the season's seed."""
    return _derived(season_seed, "match", pool_name, split_index, sample)


def map_seed(season_seed: int, pool_name: str, split_index: int, sample: int, *, fixed: int | None = None) -> int:
    """Return the seed of a game's map; `fixed` if all games of the season are played on one map."""
    return _derived(season_seed, "map", pool_name, split_index, sample) if fixed is None else fixed


def drawing_seed(season_seed: int, pool_name: str) -> int:
    """Return the seed for drawing teams or combinations of a pool."""
    return _derived(season_seed, "draw", pool_name)


def policy_seed(season_seed: int, match_seed: int) -> int:
    """Return the seed for the policies of a game. They see it, but cannot derive the game's own seed from it."""
    return _derived(season_seed, "policies", match_seed)


def _derived(season_seed: int, *purpose: str | int) -> int:
    message = "/".join(map(str, purpose)).encode()
    digest = hmac.digest(season_seed.to_bytes(16, "big", signed=True), message, hashlib.sha256)
    return int.from_bytes(digest[:4], "big") >> 1
