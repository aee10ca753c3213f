"""Shaped rewards as variants: the mission pays for learning one role."""

from cogsguard.rewards.variants import apply_reward_variants
from cogsguard.variants.clips import OverrunVariant
from cogsguard.variants.teams import TeamVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.mettagrid_config import MettaGridConfig


class _RoleReward(CoGameMissionVariant):
    def dependencies(self) -> Deps:
        return Deps(optional=[TeamVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        apply_reward_variants(env, variants=self.name)


class AlignerRewardVariant(_RoleReward):
    name: str = "aligner"
    description: str = "Rewards for aligning junctions."


class MinerRewardVariant(_RoleReward):
    name: str = "miner"
    description: str = "Rewards for mining."


class ScoutRewardVariant(_RoleReward):
    name: str = "scout"
    description: str = "Rewards for exploring."


class ScramblerRewardVariant(_RoleReward):
    name: str = "scrambler"
    description: str = "Rewards for scrambling junctions, all of which belong to the clips."

    def dependencies(self) -> Deps:
        return Deps(required=[OverrunVariant], optional=[TeamVariant])
