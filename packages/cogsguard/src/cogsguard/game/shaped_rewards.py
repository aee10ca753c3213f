"""Reward variants as variants of missions, so that a mission can name them like any other variant."""

from pydantic import Field

from cogsguard.game.forced_role_vibes import ForcedRoleVibesVariant
from cogsguard.game.teams.team import TeamVariant
from cogsguard.missions.machina_1 import CvCMachina1Variant
from cogsguard.train.reward_variants import apply_reward_variants
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.mettagrid_config import MettaGridConfig


class _ShapedReward(CoGameMissionVariant):
    """Base: runs after the rules whose rewards it edits."""

    def dependencies(self) -> Deps:
        return Deps(optional=[TeamVariant, CvCMachina1Variant, ForcedRoleVibesVariant])

    def reward_variant(self) -> str:
        """Return the reward variant to apply."""
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
    """Multiplies the objective by `factor` and pays each cog for progress towards it."""

    factor: float = Field(default=5.0, gt=0)

    def dependencies(self) -> Deps:
        return Deps(required=[TeamVariant], optional=[CvCMachina1Variant])

    def reward_variant(self) -> str:
        return f"objective_mine:{self.factor}"


class ObjectiveMineVariant(_ObjectiveMine):
    name: str = "objective_mine"
    description: str = "The objective counts five times, and progress towards it is paid."


class ShapedVariant(_ObjectiveMine):
    name: str = "shaped"
    description: str = "Another name for objective_mine."
