"""Healing in own territory."""

from pydantic import Field

from cogsguard.game.damage import DamageVariant
from cogsguard.game.energy import EnergyVariant
from cogsguard.game.territory.territory import OWN_TERRITORY, TerritoryVariant, add_presence
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.mettagrid_config import MettaGridConfig

ENERGY_HEAL_RATE = 100
HP_HEAL_RATE = 100


class HealTeamVariant(CoGameMissionVariant):
    """Restores energy and hit points of cogs in own territory."""

    name: str = "heal_team"
    description: str = "Cogs are healed in their own territory."
    energy_heal_rate: int = Field(default=ENERGY_HEAL_RATE, ge=0)
    hp_heal_rate: int = Field(default=HP_HEAL_RATE, ge=0)

    def dependencies(self) -> Deps:
        return Deps(required=[TerritoryVariant, EnergyVariant], optional=[DamageVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_presence(env, "heal_energy", OWN_TERRITORY, {"energy": self.energy_heal_rate})
        if mission.optional_variant(DamageVariant) is not None:
            add_presence(env, "heal_hp", OWN_TERRITORY, {"hp": self.hp_heal_rate})
