"""The scripted player as a policy for the episode runner: `-p amongthem`."""

from typing import ClassVar

import numpy as np

from bitworld.players.among_them.bot import THINK_TICKS, AmongThemBot
from bitworld.players.scenes import unpack_scene
from mettagrid.bitworld import bitworld_action_index
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["AmongThemScriptedPolicy"]


class AmongThemScriptedPolicy(MultiAgentPolicy):
    """Plays Among Them by rules. It observes scenes (`sprite_scene`): labels and places of what a player sees."""

    short_names: ClassVar[list[str] | None] = ["amongthem"]
    bitworld_observation: ClassVar[str] = "sprite_scene"

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", *, seed: int | str = 0) -> None:
        super().__init__(policy_env_info, device)
        if policy_env_info.observation_kind != self.bitworld_observation:
            raise ValueError(
                f"amongthem plays the BitWorld game Among Them; this game shows {policy_env_info.observation_kind!r}: "
                "run it with `-m bitworld.among_them`"
            )
        self._seed = int(seed)
        self._agents = list(range(policy_env_info.num_agents))
        self.reset()

    def reset(self) -> None:
        count = self.policy_env_info.num_agents
        self._bots = [AmongThemBot(self._seed * count + agent) for agent in range(count)]
        self._actions = np.zeros(count, np.int32)
        self._texts: dict[int, str] = {}
        self._tick = 0

    def set_batch_agents(self, agent_ids: list[int]) -> None:
        """Set the players to decide for; the others are not read."""
        self._agents = list(agent_ids)

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        raise NotImplementedError("amongthem decides for all its players together: call step_batch")

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        self._texts.clear()
        for agent in self._agents:
            if (self._tick + agent) % THINK_TICKS == 0:
                move = self._bots[agent].act(unpack_scene(raw_observations[agent].tobytes()))
                self._actions[agent] = bitworld_action_index(move.mask)
                if move.text is not None:
                    self._texts[agent] = move.text
        self._tick += 1
        raw_actions[self._agents] = self._actions[self._agents]

    def bitworld_chat_messages(self, agent_ids: list[int]) -> list[str | None]:
        return [self._texts.get(agent) for agent in agent_ids]
