"""The native planner of one game: translates the policy interface and a character for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cogames_agents import _native
from cogames_agents.planner import roster
from mettagrid.compiler.window import MAX_SIDE, window_cells
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["make_planner"]

_ROSTERS = ("opening", "roster")


def make_planner(policy_env_info: PolicyEnvInterface, traits: Mapping[str, Any], worlds: int = 1) -> _native.Planner:
    """Return a native planner; raise ValueError for games without token observations and for unknown traits."""
    if policy_env_info.observation_kind != "token":
        raise ValueError(f"Observations must be tokens; this game has {policy_env_info.observation_kind!r}")
    height, width = policy_env_info.egocentric_shape
    if not (0 < height <= MAX_SIDE and 0 < width <= MAX_SIDE):
        raise ValueError(f"Windows have at most {MAX_SIDE}x{MAX_SIDE} cells; this game's has {height}x{width}")
    return _native.Planner(
        list(policy_env_info.tags),
        [(feature.id, feature.name, float(feature.normalization)) for feature in policy_env_info.obs_features],
        list(policy_env_info.all_action_names),
        (height, width),
        _visible_columns(height, width),
        {name: roster.numbers(value) if name in _ROSTERS else value for name, value in traits.items()},
        worlds,
    )


def _visible_columns(height: int, width: int) -> list[tuple[int, int]]:
    """Return the first and last visible column of each row of the window; an empty range for a row without any."""
    columns: list[list[int]] = [[] for _ in range(height)]
    for cell in window_cells(height, width):
        columns[cell.location >> 4].append(cell.location & 15)
    return [(min(row), max(row)) if row else (0, -1) for row in columns]
