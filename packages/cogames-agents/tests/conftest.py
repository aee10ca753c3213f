"""Worlds to play, and policies to compare: in batches and one by one, on the same observations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from cogames import missions
from mettagrid.batch import Batch
from mettagrid.compiler import compile
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator import ObservationToken
from mettagrid.simulator.interface import AgentObservation


@dataclass
class Worlds:
    """Worlds of one game, each on its own map."""

    batch: Batch
    interface: PolicyEnvInterface
    teams: list[int]
    """the team of each agent of a world, as observations show it"""

    @property
    def observations(self) -> np.ndarray:
        return self.batch.observations

    def rows(self, world: int) -> np.ndarray:
        """Return the observations of one world."""
        return self.batch.observations[self.batch.agents_of(world)]

    def take(self, actions: np.ndarray) -> None:
        """Take a step with flat action numbers: primary actions, then vibes."""
        primary = len(self.interface.action_names)
        is_vibe = actions >= primary
        self.batch.actions[:] = np.where(is_vibe, 0, actions)
        self.batch.vibe_actions[:] = np.where(is_vibe, actions - primary + 1, 0)
        self.batch.step()


@dataclass
class OneByOne:
    """Asks a policy agent by agent, as runners without batches do."""

    policy: MultiAgentPolicy
    agents: Sequence[int] | None = None
    _numbers: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        interface = self.policy.policy_env_info
        self._numbers = {name: number for number, name in enumerate(interface.all_action_names)}
        agents = range(interface.num_agents) if self.agents is None else self.agents
        self._cogs = {agent: self.policy.agent_policy(agent) for agent in agents}

    def step(self, rows: np.ndarray) -> list[int]:
        """Return the action of each agent, in the order of their numbers."""
        return [self._numbers[cog.step(seen(agent, rows[agent])).name] for agent, cog in self._cogs.items()]


def seen(agent: int, row: np.ndarray) -> AgentObservation:
    """Return the observation of an agent from its row: the tokens before the first empty one."""
    empty = np.flatnonzero(row[:, 0] == 255)
    tokens = row[: empty[0]] if len(empty) else row

    def decode(_packed: bytes) -> list[ObservationToken]:
        raise AssertionError("scripted policies read bytes")

    return AgentObservation._from_bytes(agent, tokens.tobytes(), decode, ())


def _open(
    mission: str, *, variants: Sequence[str] = (), cogs: int | None = None, seeds: Sequence[int] = (1,)
) -> Worlds:
    envs = [missions.load(mission, variants, cogs, seed) for seed in seeds]
    agents = envs[0].game.num_agents
    program = compile(envs[0])
    grids = [env.game.map_builder.create().build_for_num_agents(agents).grid for env in envs]
    worlds = [program.world(program.map(grid), seed) for grid, seed in zip(grids, seeds, strict=True)]
    batch = Batch(worlds, auto_reset=False)
    interface = PolicyEnvInterface.from_mg_cfg(envs[0])
    return Worlds(batch, interface, [_team(interface, row) for row in batch.observations[:agents]])


def _team(interface: PolicyEnvInterface, row: np.ndarray) -> int:
    group = next(feature.id for feature in interface.obs_features if feature.name == "agent:group")
    height, width = interface.egocentric_shape
    centre = (height // 2) << 4 | width // 2
    return next((int(value) for place, feature, value in row if place == centre and feature == group), 0)


@pytest.fixture
def open_worlds() -> Callable[..., Worlds]:
    """Open the worlds of a mission, one for each seed."""
    return _open


@pytest.fixture
def one_by_one() -> type[OneByOne]:
    return OneByOne


@pytest.fixture
def observation() -> Callable[[int, np.ndarray], AgentObservation]:
    """Make the observation of an agent from a row of tokens."""
    return seen
