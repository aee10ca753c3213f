"""Teams with a plain plan: `baseline`, `greedy`, `wombo`, `cogsguard_v2` and `nlanky`."""

from __future__ import annotations

from typing import Any, ClassVar

from cogames_agents.planner.policy import PlannerPolicy
from cogames_agents.planner.roster import roster_of_counts
from cogames_agents.policy.cogsguard import CogsguardPolicy
from cogames_agents.policy.options import Option
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["BaselinePolicy", "GreedyPolicy", "NlankyPolicy", "VersionTwoPolicy", "WomboPolicy"]


class BaselinePolicy(PlannerPolicy):
    """A competent generalist: roles by need, three hearts at a time, and no guards for the clips' next wave."""

    short_names: ClassVar[list[str] | None] = ["baseline", "scripted.basic"]
    traits: ClassVar[dict[str, Any]] = {"guards": False, "most_hearts": 3, "co_owns": False}


class GreedyPolicy(PlannerPolicy):
    """Every cog goes to the nearest thing it can use, whoever else goes there, with one heart at a time."""

    short_names: ClassVar[list[str] | None] = ["greedy"]
    traits: ClassVar[dict[str, Any]] = {
        "guards": False,
        "most_hearts": 1,
        "worthwhile_hearts": 1,
        "courtesy": 0.0,
        "crowd_weight": 0.0,
        "exploring_lead": 1e6,
        "knows_compound": False,
    }


class _Counted(PlannerPolicy):
    """Fixes the roles of all cogs by the size of the team."""

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu") -> None:
        super().__init__(policy_env_info, device)
        self._use({**self.traits, "roster": roster_of_counts(self.counts(policy_env_info.num_agents))})

    @staticmethod
    def counts(agents: int) -> dict[str, int]:
        """Return the number of cogs of each role; the planner chooses for the rest."""
        raise NotImplementedError


class WomboPolicy(_Counted):
    """Half miners, a scout, and a scrambler and an aligner for every eight cogs; the others follow the team's needs."""

    short_names: ClassVar[list[str] | None] = ["wombo"]
    traits: ClassVar[dict[str, Any]] = {"shows_vibe": True, "guards": False}

    @staticmethod
    def counts(agents: int) -> dict[str, int]:
        pair = 1 if agents < 10 else 2
        counts = {"scrambler": pair, "aligner": pair, "miner": max(4, agents // 2), "scout": pair}
        return counts if sum(counts.values()) <= agents else _few(agents)


class VersionTwoPolicy(_Counted):
    """Scramblers and aligners by the size of the team, one scout, and miners."""

    short_names: ClassVar[list[str] | None] = ["cogsguard_v2"]
    traits: ClassVar[dict[str, Any]] = {"shows_vibe": True}

    @staticmethod
    def counts(agents: int) -> dict[str, int]:
        if agents < 8:
            return _few(agents)
        pushers = max(2, agents // 6)
        return {"scrambler": pushers, "aligner": pushers, "scout": 1, "miner": agents - 2 * pushers - 1}


class NlankyPolicy(CogsguardPolicy):
    """Four miners and four aligners of every eight cogs, each with a list of goals of its own.

    `?miner=4&scout=0&aligner=4&scrambler=0` sets the roles, `stem=8` leaves so many to the planner.
    `disable_role_switching`, `trace` and similar options of earlier versions are accepted and have no effect.
    """

    short_names: ClassVar[list[str] | None] = ["nlanky"]
    traits: ClassVar[dict[str, Any]] = {"guards": False, "courtesy": 0.0}
    _IGNORED: ClassVar[tuple[str, ...]] = (
        "trace",
        "trace_level",
        "trace_agent",
        "bio",
        "stats",
        "disable_role_switching",
    )

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        device: str = "cpu",
        role_cycle: str | None = None,
        role_order: str | None = None,
        **counts: Option,
    ) -> None:
        counts = {name: value for name, value in counts.items() if name not in self._IGNORED}
        if "stem" in counts:
            counts["gear"] = counts.pop("stem")
        if not counts and role_order is None:
            role_cycle = role_cycle or "miner,aligner"
        super().__init__(policy_env_info, device, role_cycle, role_order, **counts)


def _few(agents: int) -> dict[str, int]:
    """Return the roles of a small team."""
    if agents == 1:
        return {"miner": 1}
    if agents == 2:
        return {"scrambler": 1, "miner": 1}
    if agents == 3:
        return {"scrambler": 1, "miner": 1, "scout": 1}
    return {"scrambler": 1, "aligner": 1, "scout": 1, "miner": agents - 3}
