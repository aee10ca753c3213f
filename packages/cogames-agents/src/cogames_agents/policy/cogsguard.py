"""The strongest character, and the policies whose roles a user sets: `cogsguard`, `role` and `teacher`."""

from __future__ import annotations

from typing import Any, ClassVar

from cogames_agents.planner.batched import BatchedPlanner
from cogames_agents.planner.policy import PlannerPolicy
from cogames_agents.planner.roster import roster_of_names
from cogames_agents.policy.options import Option, read_flag, read_roster, refuse_unknown
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["CogsguardPolicy", "RolePolicy", "TeacherPolicy"]

_EVOLUTION = ("evolution", "evolutionary", "evolve")


class CogsguardPolicy(PlannerPolicy):
    """The strongest scripted player: a team whose roles follow its needs.

    `?miner=4&scout=2&aligner=2&scrambler=2` fixes the roles of the first cogs, `role_cycle=aligner,miner` those of all
    cogs by a repeated pattern, `role_order=scout,miner` those of the first cogs one by one. The planner chooses for
    `gear` cogs, and for the rest.
    """

    short_names: ClassVar[list[str] | None] = ["cogsguard", "planner"]
    default_roster: ClassVar[list[str]] = []
    """roles of the first cogs if the user gives none"""

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        device: str = "cpu",
        role_cycle: str | None = None,
        role_order: str | None = None,
        **counts: Option,
    ) -> None:
        super().__init__(policy_env_info, device)
        name = (self.short_names or [type(self).__name__])[0]
        roster = read_roster(name, counts, role_cycle, role_order, policy_env_info.num_agents)
        self._use({**self.traits, "roster": roster or self.default_roster})


class RolePolicy(CogsguardPolicy):
    """Cogs that show their role as a vibe: of eight, four miners, a scrambler, and roles by need for the others.

    Options as for `cogsguard`; `evolution=1` lets the planner choose all roles.
    """

    short_names: ClassVar[list[str] | None] = ["role", "role_py"]
    traits: ClassVar[dict[str, Any]] = {"shows_vibe": True}
    # In this order small teams, and teams that share a game with another policy, have all that they need.
    default_roster: ClassVar[list[str]] = ["gear", "miner", "gear", "miner", "miner", "gear", "scrambler", "miner"]

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        device: str = "cpu",
        role_cycle: str | None = None,
        role_order: str | None = None,
        **counts: Option,
    ) -> None:
        flags = [read_flag(name, counts.pop(name)) for name in _EVOLUTION if name in counts]
        if any(flags):
            counts = {"gear": policy_env_info.num_agents}
        super().__init__(policy_env_info, device, role_cycle, role_order, **counts)


class TeacherPolicy(PlannerPolicy):
    """Gives every cog a role at the start of each episode, to teach all of them.

    `role_vibes=miner,scout` are the roles to give; cog i of episode k gets number i + k of the list. Without it the
    planner chooses.
    """

    short_names: ClassVar[list[str] | None] = ["teacher"]
    traits: ClassVar[dict[str, Any]] = {"shows_vibe": True}

    def __init__(
        self, policy_env_info: PolicyEnvInterface, device: str = "cpu", role_vibes: str = "", **others: Option
    ) -> None:
        refuse_unknown("teacher", others, ("role_vibes",))
        super().__init__(policy_env_info, device)
        self._roles = roster_of_names("role_vibes", str(role_vibes).split(","))
        self._episode = 0
        self._begin()

    def reset(self) -> None:
        if self._has_played:
            self._episode += 1
            self._begin()

    def batched(self, worlds: int, *, threads: int = 1) -> BatchedPlanner | None:
        return BatchedPlanner(self.policy_env_info, worlds, threads=threads, traits_of=self._traits_of)

    def _begin(self) -> None:
        self._use(self._traits_of(self._episode))

    def _traits_of(self, episode: int) -> dict[str, Any]:
        agents, roles = self.policy_env_info.num_agents, self._roles
        roster = [roles[(agent + episode) % len(roles)] for agent in range(agents)] if roles else []
        return {**self.traits, "roster": roster}
