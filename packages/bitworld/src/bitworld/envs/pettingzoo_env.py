"""All players of a game, as a PettingZoo environment."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from bitworld.envs._episode import Episode
from bitworld.envs._optional import extra
from bitworld.envs._options import Options
from bitworld.envs._spaces import action_space, in_colour, observation_space
from bitworld.envs.actions import checked

with extra("envs"):
    from gymnasium.spaces import Box, Discrete
    from pettingzoo import ParallelEnv

__all__ = ["BitWorldParallelEnv"]


class BitWorldParallelEnv(ParallelEnv):
    """A PettingZoo `ParallelEnv` with agents `player_0` to `player_{n-1}`, who play to the end of the game.

    Observations are new arrays, uint8 [stack, 128, 128]. The arguments are those of `BitWorldGymEnv`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "bitworld_v0",
        "render_modes": ["rgb_array"],
        "is_parallelizable": True,
    }

    def __init__(
        self,
        game: str,
        config: Mapping[str, Any] | None = None,
        *,
        players: int = 2,
        max_ticks: int = 10_000,
        stack: int = 4,
        ticks_per_action: int = 1,
        taps: bool = False,
        render_mode: Literal["rgb_array"] | None = None,
    ) -> None:
        options = Options(
            game=game,
            config=config or {},
            players=players,
            max_ticks=max_ticks,
            stack=stack,
            ticks_per_action=ticks_per_action,
            taps=taps,
        )
        self._episode = Episode(options)
        self._seed = 0
        self.render_mode = render_mode
        self.possible_agents = [f"player_{number}" for number in range(players)]
        self.agents: list[str] = []
        # PettingZoo seeds the space of each agent, so agents do not share one.
        self._observation_spaces = {agent: observation_space(options) for agent in self.possible_agents}
        self._action_spaces = {agent: action_space() for agent in self.possible_agents}

    def reset(
        self, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, dict[str, Any]]]:
        """Start an episode with this seed, or with the one after the last. `options` is ignored."""
        self._seed = self._seed + 1 if seed is None else seed
        self._episode.start(self._seed)
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, np.ndarray], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play one action of every agent; an agent without one does nothing.

        Raises ValueError or TypeError for an unknown agent or an invalid action before anything changes.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        unknown = sorted(set(actions) - set(self.possible_agents))
        if unknown:
            raise ValueError(f"There is no agent {unknown[0]!r}; the agents are {', '.join(self.possible_agents)}")
        agents, episode = self.agents, self._episode
        rewards = episode.step([checked(actions.get(agent, 0)) for agent in agents])
        if episode.is_over:
            self.agents = []
        return (
            dict(zip(agents, episode.observations.copy(), strict=True)),
            dict(zip(agents, rewards, strict=True)),
            dict.fromkeys(agents, episode.terminated),
            dict.fromkeys(agents, episode.truncated),
            {agent: {} for agent in agents},
        )

    def observation_space(self, agent: str) -> Box:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self._action_spaces[agent]

    def render(self) -> np.ndarray | None:
        """Return the newest pictures of all players side by side with `render_mode="rgb_array"`, else None."""
        if self.render_mode != "rgb_array":
            return None
        return np.concatenate([in_colour(stack[-1]) for stack in self._episode.observations], axis=1)

    def _observations(self) -> dict[str, np.ndarray]:
        return dict(zip(self.agents, self._episode.observations.copy(), strict=True))
