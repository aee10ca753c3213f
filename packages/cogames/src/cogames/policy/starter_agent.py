"""A team of miners and aligners: the policy to start from.

Miners take miner gear, fill up with the element the team has least of, and bring it home. Aligners take aligner gear
and hearts, and capture the nearest junction that our network reaches. Of every four cogs the outer two mine and the
inner two align. Every cog plays for itself and remembers what it has seen.

A role is a list of wishes, best first; a wish is a set of cells to go to. The cog takes the first wish with a known
path and goes to the nearest of its cells; walking into an object uses it. With no wish left it explores. To change the
behaviour, change the wishes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from cogames.policy.cells import DIRECTIONS
from cogames.policy.cog import ELEMENTS, Cog
from cogames.policy.sight import Sight
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy, StatefulAgentPolicy, StatefulPolicyImpl
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

ALL_ROLES = ("miner", "aligner", "scrambler", "scout")
STARTER_ROLE_CYCLE = ("miner", "aligner", "aligner", "miner")  # by agent id
TEAM_TAG_PREFIX = "team:"
Coordinate = tuple[int, int]  # row, column
MOVE_DELTAS: dict[str, Coordinate] = {
    direction.action.removeprefix("move_"): (direction.row, direction.col) for direction in DIRECTIONS
}

MOST_HEARTS = 4  # to carry at once: more saves walking, but a cog at 0 hp loses them all
ROUND = 100  # steps until an aligner checks its junctions again, which the enemy may have taken
PASSING = 3  # a scout has passed cells within this distance
ENOUGH_MORE = 60  # with this much more than of the scarcest element, look for the scarcest instead of mining on


class StarterCogState(Cog):
    """The knowledge and plans of one cog."""

    def __init__(self, sight: Sight, agent_id: int) -> None:
        super().__init__(sight, agent_id)
        self.element: str | None = None
        """the element to mine on this trip"""


class StarterCogPolicyImpl(StatefulPolicyImpl[StarterCogState]):
    """The decisions of one cog. `role` is miner, aligner, scrambler or scout; the default depends on the agent id."""

    def __init__(self, policy_env_info: PolicyEnvInterface, agent_id: int, role: str | None = None) -> None:
        missing = [direction.action for direction in DIRECTIONS if direction.action not in policy_env_info.action_names]
        if missing:
            raise ValueError(f"The starter policy needs the action {missing[0]}, which this game does not have")
        self._sight = Sight(policy_env_info)
        self._agent_id = agent_id
        self._quarter = agent_id if role else agent_id // 2  # quarter of the map; different for cogs of one role
        roles = {"miner": self._mine, "aligner": self._align, "scrambler": self._scramble, "scout": self._scout}
        self._wishes = roles[role or STARTER_ROLE_CYCLE[agent_id % len(STARTER_ROLE_CYCLE)]]

    def initial_agent_state(self) -> StarterCogState:
        return StarterCogState(self._sight, self._agent_id)

    def step_with_state(self, obs: AgentObservation, state: StarterCogState) -> tuple[Action, StarterCogState]:
        return Action(name=self.choose(obs.token_array().tobytes(), state)), state

    def choose(self, row: bytes, cog: StarterCogState) -> str:
        """Return the name of the action for an observation, given as the bytes of its tokens."""
        cog.look(row)
        for cells in self._wishes(cog):
            action = cog.walker.toward(cells & ~cog.useless)
            if action is not None:
                return action
        return self._explore(cog)

    def _mine(self, cog: StarterCogState) -> Iterator[int]:
        yield from self._survive(cog)
        yield from self._gear_up(cog, "miner")
        yield from self._gather(cog)

    def _align(self, cog: StarterCogState) -> Iterator[int]:
        yield from self._survive(cog)
        yield from self._gear_up(cog, "aligner")
        yield from self._fetch_hearts(cog, "aligner")
        if not (cog.has("aligner") and cog.has("heart")):
            yield from self._gather(cog)
            return
        if cog.steps % ROUND == 0:
            cog.memory.recent = 0
        # Junctions of the enemy too: both can hold a junction, and then the enemy does not take it back.
        yield cog.junctions & ~cog.ours & cog.network
        yield from self._own_quarter_first(cog, cog.memory.frontier & cog.network)
        yield cog.junctions & cog.ours & ~cog.theirs & ~cog.memory.recent

    def _scramble(self, cog: StarterCogState) -> Iterator[int]:
        yield from self._survive(cog)
        yield from self._gear_up(cog, "scrambler")
        yield from self._fetch_hearts(cog, "scrambler")
        if cog.has("scrambler") and cog.has("heart"):
            yield cog.junctions & cog.theirs
        else:
            yield from self._gather(cog)

    def _scout(self, cog: StarterCogState) -> Iterator[int]:
        """Walk past everything again and again: cells seen long ago may have changed."""
        memory = cog.memory
        passed = memory.notes.get("passed", 0) | memory.grid.disc(memory.here, PASSING)
        memory.notes["passed"] = passed
        yield from self._gear_up(cog, "scout")
        yield from self._own_quarter_first(cog, memory.frontier)
        yield from self._own_quarter_first(cog, memory.known & memory.free & ~passed)
        memory.notes["passed"] = 0

    def _survive(self, cog: StarterCogState) -> Iterator[int]:
        if cog.must_go_home():
            yield cog.home

    def _gear_up(self, cog: StarterCogState, gear: str) -> Iterator[int]:
        if not cog.has(gear) and cog.can_pay(gear):
            yield cog.station(gear)

    def _fetch_hearts(self, cog: StarterCogState, gear: str) -> Iterator[int]:
        """Go to the hub for the first heart; once there, take more, but leave at least as many for the others."""
        hearts, supply = cog.has("heart"), cog.heart_supply
        if not cog.has(gear) or not supply:
            return
        is_beside_hub = cog.memory.grid.grow(1 << cog.memory.here) & cog.hub
        if not hearts or (is_beside_hub and hearts < min(MOST_HEARTS, supply)):
            yield cog.hub

    def _gather(self, cog: StarterCogState) -> Iterator[int]:
        """Fill up with one element and bring it to the hub, or to a junction we hold."""
        cargo = cog.cargo
        if cargo >= cog.capacity:
            cog.element = None
            yield cog.hub | cog.junctions & cog.ours
        if cog.element is None or not cog.extractors(cog.element):
            cog.element = self._scarcest_element(cog)
        if cog.element is not None:
            yield cog.extractors(cog.element)
        elif cargo:
            yield cog.hub

    def _scarcest_element(self, cog: StarterCogState) -> str | None:
        """Return the scarcest element with a known extractor; None if exploring for a scarcer one is better."""
        known = [element for element in ELEMENTS if cog.extractors(element)]
        if not known:
            return None
        scarcest = min(known, key=cog.stock)
        return scarcest if cog.stock(scarcest) < min(map(cog.stock, ELEMENTS)) + ENOUGH_MORE else None

    def _own_quarter_first(self, cog: StarterCogState, cells: int) -> Iterator[int]:
        """Yield the cells in the cog's own quarter, then all: cogs that start on different sides see more together."""
        yield cells & cog.memory.grid.quarter(self._quarter)
        yield cells

    def _explore(self, cog: StarterCogState) -> str:
        """Go to the nearest unseen cell; step around if there is none."""
        for cells in self._own_quarter_first(cog, cog.memory.frontier):
            action = cog.walker.toward(cells)
            if action is not None:
                return action
        return cog.walker.step_aside()


class BaseStarterPolicy(MultiAgentPolicy):
    """A team of starter cogs. A subclass that sets `_role` gives all of them that role."""

    _role: ClassVar[str | None] = None
    supports_step_batch = True
    reusable = True

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu") -> None:
        super().__init__(policy_env_info, device)
        self.reset()

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return StatefulAgentPolicy(self._decisions(agent_id), self.policy_env_info, agent_id=agent_id)

    # The same for all agents at once: faster, and optional for a policy.

    def reset(self) -> None:
        self.set_batch_agents(list(range(self.policy_env_info.num_agents)))

    def set_batch_agents(self, agent_ids: list[int]) -> None:
        """Start an episode for the agents of `step_batch`."""
        team = ((agent_id, self._decisions(agent_id)) for agent_id in agent_ids)
        self._batch = [(agent_id, decisions, decisions.initial_agent_state()) for agent_id, decisions in team]

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        number_of = self.policy_env_info.action_name_to_flat_index
        for agent_id, decisions, cog in self._batch:
            raw_actions[agent_id] = number_of[decisions.choose(raw_observations[agent_id].tobytes(), cog)]

    def _decisions(self, agent_id: int) -> StarterCogPolicyImpl:
        return StarterCogPolicyImpl(self.policy_env_info, agent_id, role=self._role)


class StarterPolicy(BaseStarterPolicy):
    """Half miners, half aligners."""

    short_names: ClassVar[list[str] | None] = ["starter"]
