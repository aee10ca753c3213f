"""Observations of the players of one policy: stacked pictures, stacked features, or scenes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mettagrid.bitworld_sprite_player import SPRITE_PLAYER_FEATURES, SpritePlayerObservationAdapter

if TYPE_CHECKING:
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.runner.bitworld.engine import Match

__all__ = ["Observer"]


class Observer:
    """Keeps `rows`, uint8 [players, *shape]; rows of other policies' players stay zero.

    In a stack the newest frame is the last; before the first frame all of them are equal to it.
    """

    def __init__(self, interface: PolicyEnvInterface, agents: list[int]) -> None:
        self._kind = interface.observation_kind
        self._agents = agents
        self.rows = np.zeros((interface.num_agents, *interface.observation_shape), np.uint8)
        self._frames = self.rows.reshape(interface.num_agents, -1, self._frame_size(interface))
        self._adapters = {agent: SpritePlayerObservationAdapter() for agent in agents if self._kind == "sprite_player"}
        self._is_first = True

    def update(self, match: Match) -> None:
        """Add what the players see now."""
        for agent in self._agents:
            stack = self._frames[agent]
            if self._kind == "pixels":
                stack[:-1] = stack[1:].copy()
                match.draw(agent, self.rows[agent, -1])
            elif self._kind == "sprite_player":
                adapter = self._adapters[agent]
                adapter.apply_packet(match.sprite_messages(agent))
                stack[:-1] = stack[1:].copy()
                stack[-1] = adapter.observation()
            else:
                scene = match.sprite_scene(agent)
                stack[0, : len(scene)] = np.frombuffer(scene, np.uint8)
                stack[0, len(scene) :] = 0
            if self._is_first:
                stack[:-1] = stack[-1]
        self._is_first = False

    def _frame_size(self, interface: PolicyEnvInterface) -> int:
        if self._kind == "sprite_player":
            return SPRITE_PLAYER_FEATURES
        shape = interface.observation_shape
        return int(np.prod(shape[1:])) if self._kind == "pixels" else int(shape[0])
