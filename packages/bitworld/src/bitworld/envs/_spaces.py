"""The spaces of observations and actions, and pictures in true colours."""

import numpy as np

from bitworld.envs._optional import extra
from bitworld.envs._options import Options
from bitworld.envs.actions import ACTION_MASKS
from bitworld.picture import PALETTE, Picture

with extra("envs"):
    from gymnasium.spaces import Box, Discrete

__all__ = ["action_space", "in_colour", "observation_space"]

_COLOURS = np.array([tuple(bytes.fromhex(colour[1:])) for colour in PALETTE], np.uint8)


def observation_space(options: Options) -> Box:
    return Box(0, len(PALETTE) - 1, options.shape, np.uint8)


def action_space() -> Discrete:
    return Discrete(len(ACTION_MASKS))


def in_colour(picture: Picture) -> np.ndarray:
    """Return a picture as RGB, uint8 [128, 128, 3]."""
    colours: np.ndarray = _COLOURS[picture]
    return colours
