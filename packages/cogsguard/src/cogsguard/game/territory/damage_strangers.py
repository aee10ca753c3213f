"""Damage in the territory of other teams."""

from cogsguard.game.damage import DamageVariant
from cogsguard.game.territory.territory import OTHER_TERRITORY, TerritoryVariant, add_presence
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.mettagrid_config import MettaGridConfig

DAMAGE_RATE = -1


class DamageStrangersVariant(CoGameMissionVariant):
    """Changes the hit points of cogs in the territory of another team by `damage_rate` in every step."""

    name: str = "damage_strangers"
    description: str = "Cogs lose hit points in the territory of other teams."
    damage_rate: int = DAMAGE_RATE

    def dependencies(self) -> Deps:
        return Deps(required=[TerritoryVariant, DamageVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_presence(env, "damage_strangers", OTHER_TERRITORY, {"hp": self.damage_rate})
