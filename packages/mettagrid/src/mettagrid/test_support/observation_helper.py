"""Pick tokens from raw observations."""

from __future__ import annotations

import numpy as np

from mettagrid.simulator.interface import EMPTY_LOCATION, GLOBAL_LOCATION, Location

__all__ = ["ObservationHelper"]


class ObservationHelper:
    """Queries on one agent's observation, uint8 [tokens, 3] of (location byte, feature id, value)."""

    @staticmethod
    def find_tokens(
        obs: np.ndarray,
        location: Location | None = None,
        feature_id: int | None = None,
        value: int | None = None,
        is_global: bool | None = None,
    ) -> np.ndarray:
        """Return the tokens that meet all given conditions, in the observation's order."""
        chosen = np.ones(len(obs), dtype=bool)
        if location is not None:
            chosen &= obs[:, 0] == location.row << 4 | location.col
        if feature_id is not None:
            chosen &= obs[:, 1] == feature_id
        if value is not None:
            chosen &= obs[:, 2] == value
        if is_global is not None:
            chosen &= (obs[:, 0] == GLOBAL_LOCATION) == is_global
        return obs[chosen]

    @staticmethod
    def find_token_values(
        obs: np.ndarray,
        location: Location | None = None,
        feature_id: int | None = None,
        value: int | None = None,
        is_global: bool | None = None,
    ) -> np.ndarray:
        """Return the values of the tokens that `find_tokens` would return."""
        return ObservationHelper.find_tokens(obs, location, feature_id, value, is_global)[:, 2]

    @staticmethod
    def find_global_tokens(obs: np.ndarray, feature_id: int | None = None, value: int | None = None) -> np.ndarray:
        """Return the tokens that are about no cell."""
        return ObservationHelper.find_tokens(obs, feature_id=feature_id, value=value, is_global=True)

    @staticmethod
    def get_positions_from_tokens(tokens: np.ndarray) -> list[Location]:
        """Return the cell of the window of each token; global tokens and padding have none and are skipped."""
        bytes_ = [int(byte) for byte in tokens[:, 0]]
        return [Location(byte >> 4, byte & 15) for byte in bytes_ if byte not in (GLOBAL_LOCATION, EMPTY_LOCATION)]
