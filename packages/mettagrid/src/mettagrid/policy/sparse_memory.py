"""What an agent has seen before, as further tokens of its observation.

An observation shows a small window. The memory keeps every object that was in it and whose place is not visible now,
and appends its type and team with a coarse place: rows and columns from the agent in 15 levels each, finer where it is
near. Agents and walls are not kept.
"""

from __future__ import annotations

import numpy as np

from mettagrid import _native
from mettagrid.compiler.window import window_cells
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["MEMORY_PLACES", "SparseMemory", "memory_feature"]

MEMORY_PLACES = 225
"""number of coarse places, 15 x 15"""
_FORGOTTEN = ("type:agent", "type:wall")
_DIRECTIONS = ("lp:east", "lp:west", "lp:north", "lp:south")
_BYTES = 256


def memory_feature(interface: PolicyEnvInterface) -> int:
    """Return the feature of appended tokens: the highest number that the game does not use."""
    used = {feature.id for feature in interface.obs_features}
    return max(number for number in range(_BYTES - 1) if number not in used)  # unused tokens have the last one


class SparseMemory:
    """The memories of a number of agents, one in each row."""

    def __init__(self, interface: PolicyEnvInterface, rows: int, *, threads: int = 1, keep: bool = True) -> None:
        """With `keep` false nothing is remembered, and observations are only copied and translated."""
        features = {feature.name: feature.id for feature in interface.obs_features}
        height, width = interface.egocentric_shape
        kept, beside = np.zeros(_BYTES, np.uint8), np.zeros(_BYTES, np.uint8)
        for number, tag in enumerate(interface.tags[:_BYTES]):
            kept[number] = tag.startswith("type:") and tag not in _FORGOTTEN
            beside[number] = tag.startswith("team:")
        visible = np.zeros(_BYTES, np.uint8)
        visible[[cell.location for cell in window_cells(height, width)]] = 1
        # Without its place an agent cannot tell where it has seen something.
        has_place = all(name in features for name in _DIRECTIONS)
        numbers = [features.get(name, -1) for name in ("tag", *_DIRECTIONS)]
        self._native = _native.TokenMemory(
            rows,
            threads,
            height,
            width,
            [numbers[0], memory_feature(interface), *numbers[1:]],
            kept if has_place and keep else np.zeros_like(kept),
            beside,
            visible,
        )
        self._rows = np.arange(rows)

    def see(
        self,
        observations: np.ndarray,
        out: np.ndarray,
        *,
        rows: np.ndarray | None = None,
        translation: np.ndarray | None = None,
        tables: np.ndarray | None = None,
    ) -> None:
        """Write observations uint8 [n, tokens, 3] with what is remembered to `out` uint8 [n, room, 3].

        `rows`, int64 [n], are the agents; by default all of them. With `translation`, uint8 [tables, 65536, 2], the
        feature and value of a token become entry feature * 256 + value of the observation's table, int64 [n], and the
        numbers of the interface are those after it.
        """
        self._native.see(observations, self._rows if rows is None else rows, out, translation, tables)

    def forget(self, rows: np.ndarray) -> None:
        """Begin new episodes of these agents, int64 [n]."""
        self._native.forget(rows)
