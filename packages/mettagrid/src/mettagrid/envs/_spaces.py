"""Observation and action spaces of an agent for Gymnasium."""

from typing import Any

import numpy as np

from mettagrid.envs._actions import ActionCodec, Vibes
from mettagrid.envs._optional import extra

with extra("envs"):
    from gymnasium.spaces import Box, Discrete, MultiDiscrete, Space


def byte_space(*shape: int) -> Box:
    """Return a space of bytes of the given shape, usually (tokens, 3)."""
    return Box(0, 255, shape, np.uint8)


def choice_space(codec: ActionCodec, vibes: Vibes) -> "Space[Any]":
    """Return the action space: primary actions only, combined indices, or pairs."""
    if vibes == "pair":
        return MultiDiscrete([codec.num_primary, codec.num_vibes + 1])
    return Discrete(codec.num_primary if vibes == "none" else codec.num_combined)
