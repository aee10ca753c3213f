"""Policies for the single-cog diagnostic missions: memory, exploration, planning.

They show that the missions can be solved with little: a map, and a rule for where to go next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from cogames.policy.cells import cells_of
from cogames.policy.memory import Memory
from cogames.policy.sight import Sight
from cogames.policy.walking import Walker
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator.interface import AgentObservation
from mettagrid.simulator.simulator import Simulation
from mettagrid.types import Action

__all__ = ["Coordinate", "SubstrateExplorationPolicy", "SubstrateMemoryPolicy", "SubstratePlanningPolicy"]

Coordinate = tuple[int, int]  # row, column


class _Navigator(AgentPolicy):
    """Goes to the first of its wishes to which it knows a path; explores if there is none."""

    def __init__(self, policy_env_info: PolicyEnvInterface) -> None:
        super().__init__(policy_env_info)
        self.sight = Sight(policy_env_info)
        self.reset()

    def reset(self, simulation: Simulation | None = None) -> None:
        self.memory = Memory(self.sight)
        self.walker = Walker(self.memory)

    def step(self, obs: AgentObservation) -> Action:
        used = self.memory.objects & 1 << self.memory.ahead  # the object that the last step walked into
        self.memory.look(obs.token_array().tobytes())
        self.memory.notes["used"] = self.memory.notes.get("used", 0) | used
        for cells in (*self.wishes(), self.memory.frontier):
            action = self.walker.toward(cells)
            if action is not None:
                return Action(name=action)
        return Action(name=self.walker.wait())

    def wishes(self) -> Iterator[int]:
        """Sets of cells to go to, best first."""
        raise NotImplementedError

    def has_tag(self, name: str) -> bool:
        """Return whether the cog itself has a tag."""
        return self.sight.tag_ids.get(name, -1) in self.memory.view.tags.get(self.sight.centre, ())


class _MemoryAgent(_Navigator):
    """Goes to the goal that the cue at the start selects: the first from the left, the second, and so on."""

    def reset(self, simulation: Simulation | None = None) -> None:
        super().reset(simulation)
        self.cues = sorted(name for name in self.sight.tag_ids if name.startswith("type:cue_"))
        self.cue: int | None = None

    def wishes(self) -> Iterator[int]:
        memory = self.memory
        seen = [number for number, name in enumerate(self.cues) if memory.tagged(name)]
        if seen and self.cue is None:
            self.cue = seen[0]
        goals = sorted(cells_of(memory.tagged("type:memory_goal")), key=lambda cell: memory.grid.offset(cell)[::-1])
        # The corridor leads to the middle of the goals, so they come into view together.
        if self.cue is not None and self.cue < len(goals):
            untried = memory.tagged("type:memory_goal") & ~memory.notes["used"]
            yield 1 << goals[self.cue] & untried
            yield untried


class _ExplorationAgent(_Navigator):
    """Goes to the goal as soon as it is in view."""

    def wishes(self) -> Iterator[int]:
        yield self.memory.tagged("type:goal")


class _PlanningAgent(_Navigator):
    """Uses objects in order: each one unlocks the next and leaves a tag on the cog."""

    CHAIN: ClassVar[tuple[str, ...]] = ("key", "switch", "door")

    def wishes(self) -> Iterator[int]:
        target = next((name for name in self.CHAIN if not self.has_tag(f"state:{name}")), "goal")
        yield self.memory.tagged(f"type:{target}")


class _DiagnosticsPolicy(MultiAgentPolicy):
    _policy_cls: ClassVar[type[_Navigator]]

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu") -> None:
        super().__init__(policy_env_info, device)

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return self._policy_cls(self.policy_env_info)


class SubstrateMemoryPolicy(_DiagnosticsPolicy):
    """For the missions `memory_mystery_path_*`."""

    short_names: ClassVar[list[str] | None] = ["substrate_memory"]
    _policy_cls = _MemoryAgent


class SubstrateExplorationPolicy(_DiagnosticsPolicy):
    """For the missions `exploration_sparse_search_*`."""

    short_names: ClassVar[list[str] | None] = ["substrate_exploration"]
    _policy_cls = _ExplorationAgent


class SubstratePlanningPolicy(_DiagnosticsPolicy):
    """For the missions `planning_unlock_chain_*`."""

    short_names: ClassVar[list[str] | None] = ["substrate_planning"]
    _policy_cls = _PlanningAgent
