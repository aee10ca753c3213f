"""Cache built maps for later episodes of this process."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mettagrid.map_builder.map_builder import GameMap, MapBuilderConfig

__all__ = ["SharedMapCache", "get_shared_cache", "stop_shared_cache"]


class SharedMapCache:
    """Caches up to `maps_per_key` maps for each (builder config, number of agents).

    A builder without a seed builds a new map for each of the first `maps_per_key` requests; after that one of them is
    drawn at random. A builder with a seed builds one map. The returned maps are shared: do not change them.
    """

    def __init__(self, maps_per_key: int = 1) -> None:
        if maps_per_key < 1:
            raise ValueError(f"A map cache must keep at least one map per key, not {maps_per_key}")
        self._maps_per_key = maps_per_key
        self._maps: dict[str, list[GameMap]] = {}
        self._draw = random.Random()

    def get_or_create(self, map_builder: MapBuilderConfig, num_agents: int) -> GameMap:
        """Return a cached map for this builder, or build one if the cache has too few."""
        maps = self._maps.setdefault(self._make_key(map_builder, num_agents), [])
        capacity = self._maps_per_key if getattr(map_builder, "seed", None) is None else 1
        if len(maps) < capacity:
            maps.append(map_builder.create().build_for_num_agents(num_agents))
            return maps[-1]
        return self._draw.choice(maps)

    def clear(self) -> None:
        self._maps.clear()

    def __len__(self) -> int:
        """Return the number of cached maps."""
        return sum(map(len, self._maps.values()))

    @staticmethod
    def _make_key(map_builder: MapBuilderConfig, num_agents: int) -> str:
        # Keyed by content; a digest, so that large ASCII maps are not stored as keys.
        builder = type(map_builder)
        text = f"{builder.__module__}.{builder.__qualname__}\n{num_agents}\n{map_builder.model_dump_json()}"
        return hashlib.sha256(text.encode()).hexdigest()


_shared: dict[int, SharedMapCache] = {}


def get_shared_cache(maps_per_key: int = 1) -> SharedMapCache:
    """Return the cache that all simulators of this process with the same `maps_per_key` share."""
    if maps_per_key not in _shared:
        _shared[maps_per_key] = SharedMapCache(maps_per_key)
    return _shared[maps_per_key]


def stop_shared_cache() -> None:
    """Drop all shared caches and their maps."""
    _shared.clear()
