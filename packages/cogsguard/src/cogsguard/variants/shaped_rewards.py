"""The other reward variants as variants of missions, so that they can be chosen by name like any other."""

from pydantic import Field

from cogsguard.rewards.variants import apply_reward_variants
from cogsguard.variants.rulesets import MachinaOneVariant
from cogsguard.variants.teams import TeamVariant
from cogsguard.variants.vibes import ForcedRoleVibesVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.mettagrid_config import MettaGridConfig


class _ShapedReward(CoGameMissionVariant):
    """Base: comes after the rules, whose rewards it changes."""

    def dependencies(self) -> Deps:
        return Deps(optional=[TeamVariant, MachinaOneVariant, ForcedRoleVibesVariant])

    def reward_variant(self) -> str:
        """The reward variant this stands for."""
        return self.name

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        apply_reward_variants(env, variants=self.reward_variant())


class NoObjectiveVariant(_ShapedReward):
    name: str = "no_objective"
    description: str = "No reward for junctions held."


class MilestonesVariant(_ShapedReward):
    name: str = "milestones"
    description: str = "Rewards for the first junctions aligned and scrambled."


class CreditVariant(_ShapedReward):
    name: str = "credit"
    description: str = "Small rewards for hearts, gear and elements."


class RoleConditionalVariant(_ShapedReward):
    name: str = "role_conditional"
    description: str = "Each cog is paid for the role it shows."


class PenalizeVibeChangeVariant(_ShapedReward):
    name: str = "penalize_vibe_change"
    description: str = "Changing the vibe costs a little."


class _ObjectiveMine(_ShapedReward):
    """The objective counts `factor` times, and each cog is paid for the steps towards it."""

    factor: float = Field(default=5.0, gt=0)

    def dependencies(self) -> Deps:
        return Deps(required=[TeamVariant], optional=[MachinaOneVariant])

    def reward_variant(self) -> str:
        return f"objective_mine:{self.factor}"


class ObjectiveMineVariant(_ObjectiveMine):
    name: str = "objective_mine"
    description: str = "The objective counts five times, and the way to it is paid."


class ShapedVariant(_ObjectiveMine):
    name: str = "shaped"
    description: str = "The same as objective_mine, under the name of older documents."
