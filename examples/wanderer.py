"""A policy in one file: walks straight ahead, and turns when it bumps into something.

Everything a policy needs to be packed and sent elsewhere is in this file; docs/guides/policies.md goes through it.

usage: wanderer.py
"""

import random

from mettagrid import check_policy
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator import AgentObservation
from mettagrid.types import Action

NORTH_SOUTH_WEST_EAST = ("move_north", "move_south", "move_west", "move_east")
STEPS = {"move_north": (-1, 0), "move_south": (1, 0), "move_west": (0, -1), "move_east": (0, 1)}


class WandererAgent(AgentPolicy):
    """One agent, which stores its current direction."""

    def __init__(self, policy_env_info: PolicyEnvInterface, patience: int, seed: int) -> None:
        super().__init__(policy_env_info)
        self._patience, self._seed = patience, seed
        self._middle = (policy_env_info.obs_height // 2, policy_env_info.obs_width // 2)
        self.reset()

    def reset(self, simulation: object = None) -> None:
        """Forget the last episode and reseed the random generator, so that episodes are reproducible."""
        self._random = random.Random(self._seed)
        self._heading = self._random.choice(NORTH_SOUTH_WEST_EAST)
        self._walked = 0

    def step(self, obs: AgentObservation) -> Action:
        row, col = (self._middle[axis] + STEPS[self._heading][axis] for axis in (0, 1))
        is_blocked = any(token.location == (row, col) and token.feature.name == "tag" for token in obs.tokens)
        self._walked += 1
        if is_blocked or self._walked > self._patience:
            self._heading = self._random.choice(NORTH_SOUTH_WEST_EAST)
            self._walked = 0
        self._infos = {"heading": self._heading}
        return Action(name=self._heading)


class Wanderer(MultiAgentPolicy):
    """A policy in which all agents wander; each turns after at most `patience` steps."""

    short_names = ["wanderer"]  # noqa: RUF012

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", patience: int | str = 8) -> None:
        super().__init__(policy_env_info, device)
        self._patience = int(patience)  # a command line gives text

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return WandererAgent(self.policy_env_info, self._patience, seed=agent_id)


if __name__ == "__main__":
    problems = check_policy(Wanderer)
    print(*problems, sep="\n")
    print(f"{len(problems)} problems")
