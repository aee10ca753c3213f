"""The policy interface of a game as the native players read it."""

from __future__ import annotations

from mettagrid.compiler.window import MAX_SIDE, window_cells
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["NativeInterface", "native_interface"]

Columns = list[tuple[int, int]]
NativeInterface = tuple[list[str], list[tuple[int, str, float]], list[str], tuple[int, int], Columns]


def native_interface(policy_env_info: PolicyEnvInterface) -> NativeInterface:
    """Return the tags, the features (id, name, normalization), the actions, the size of the window and its columns.

    Raises ValueError for games without token observations.
    """
    if policy_env_info.observation_kind != "token":
        raise ValueError(f"Observations must be tokens; this game has {policy_env_info.observation_kind!r}")
    height, width = policy_env_info.egocentric_shape
    if not (0 < height <= MAX_SIDE and 0 < width <= MAX_SIDE):
        raise ValueError(f"Windows have at most {MAX_SIDE}x{MAX_SIDE} cells; this game's has {height}x{width}")
    return (
        list(policy_env_info.tags),
        [(feature.id, feature.name, float(feature.normalization)) for feature in policy_env_info.obs_features],
        list(policy_env_info.all_action_names),
        (height, width),
        _visible_columns(height, width),
    )


def _visible_columns(height: int, width: int) -> Columns:
    """Return the first and last visible column of each row of the window; an empty range for a row without any.

    Games with even sides also show cells one row or column beyond the window; the players ignore them.
    """
    columns: list[list[int]] = [[] for _ in range(height)]
    for row, col in ((cell.location >> 4, cell.location & 15) for cell in window_cells(height, width)):
        if row < height and col < width:
            columns[row].append(col)
    return [(min(row), max(row)) if row else (0, -1) for row in columns]
