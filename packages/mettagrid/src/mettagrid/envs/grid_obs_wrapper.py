"""Observations as images: a plane per feature, a pixel per cell."""

from typing import Any

import numpy as np

from mettagrid.envs._optional import extra
from mettagrid.envs._puffer import PufferStyle
from mettagrid.simulator.interface import EMPTY_LOCATION, GLOBAL_LOCATION

with extra("envs"):
    from gymnasium.spaces import Box

__all__ = ["GridObsWrapper"]


class GridObsWrapper:
    """Turns the tokens of an environment in PufferLib's style into float32 [n, features, height, width], a new array.

    A token adds its value, divided by the feature's normalization (at least 1), to its cell in its feature's plane;
    tokens about the whole game go to the centre cell. All other attributes are those of the environment.
    """

    def __init__(self, env: PufferStyle) -> None:
        self._env = env
        game = env.env_cfg.game
        scale = [max(feature.normalization, 1) for feature in game.id_map().features()]
        self._scale = 1 / np.array(scale, np.float32)
        height, width = game.obs.height, game.obs.width
        cells = [(byte >> 4) * width + (byte & 15) for byte in range(256)]
        cells[GLOBAL_LOCATION] = height // 2 * width + width // 2
        self._cells = np.array(cells)
        self._shape = (len(scale), height, width)
        self.single_observation_space = Box(0, np.inf, self._shape, np.float32)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, Any]:
        observations, infos = self._env.reset(seed)
        return self._convert(observations), infos

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Any]:
        observations, rewards, terminals, truncations, infos = self._env.step(actions)
        return self._convert(observations), rewards, terminals, truncations, infos

    def _convert(self, tokens: np.ndarray) -> np.ndarray:
        features, height, width = self._shape
        agents, positions = np.nonzero(tokens[:, :, 0] != EMPTY_LOCATION)
        locations, kinds, values = tokens[agents, positions].T
        planes = np.zeros((len(tokens), features, height * width), np.float32)
        np.add.at(planes, (agents, kinds, self._cells[locations]), values * self._scale[kinds])
        return planes.reshape(len(tokens), features, height, width)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)
