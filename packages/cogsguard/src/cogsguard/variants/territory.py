"""Territory: cells owned by the strongest team around them, and what that does to cogs."""

from pydantic import Field

from cogsguard.env import objects_called
from cogsguard.names import TEAM_PREFIX, TERRITORY
from cogsguard.variants.buildings import JunctionVariant
from cogsguard.variants.clips import ClipsVariant
from cogsguard.variants.energy import EnergyVariant
from cogsguard.variants.health import DamageVariant
from cogsguard.variants.teams import TeamHubVariant, TeamVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.filter import AnyFilter, isNot, sharedTagPrefix
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import updateTarget
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig

_FULL = 100


class TerritoryVariant(CoGameMissionVariant):
    """Junctions and ships control the cells within `control_range`, hubs twice as far. Own territory gives energy."""

    name: str = "territory"
    description: str = "Hubs, junctions and ships control the cells around them."
    control_range: int = Field(default=10, ge=1)

    def dependencies(self) -> Deps:
        return Deps(required=[TeamHubVariant, JunctionVariant, TeamVariant], optional=[ClipsVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.territories[TERRITORY] = TerritoryConfig(tag_prefix=TEAM_PREFIX)
        if mission.has_variant("energy"):
            add_presence(env, "heal", _FRIEND, {"energy": _FULL})
        for type_name, strength in (("hub", 2 * self.control_range), ("junction", self.control_range)):
            _control(env, type_name, strength)
        _control(env, "ship", self.control_range)


def _control(env: MettaGridConfig, type_name: str, strength: int) -> None:
    for item in objects_called(env, type_name):
        item.territory_controls.append(TerritoryControlConfig(territory=TERRITORY, strength=strength, decay=1))


_FRIEND: AnyFilter = sharedTagPrefix(TEAM_PREFIX)
_STRANGER: AnyFilter = isNot(sharedTagPrefix(TEAM_PREFIX))


def add_presence(env: MettaGridConfig, name: str, who: AnyFilter, deltas: dict[str, int]) -> None:
    """Change what cogs in somebody's territory hold, every step."""
    env.game.territories[TERRITORY].presence[name] = Handler(filters=[who], mutations=[updateTarget(deltas)])


class HealTeamVariant(CoGameMissionVariant):
    """Own territory restores energy and hit points."""

    name: str = "heal_team"
    description: str = "Cogs are healed in their own territory."

    def dependencies(self) -> Deps:
        return Deps(required=[TerritoryVariant, EnergyVariant], optional=[DamageVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_presence(env, "heal_energy", _FRIEND, {"energy": _FULL})
        if mission.optional_variant(DamageVariant) is not None:
            add_presence(env, "heal_hp", _FRIEND, {"hp": _FULL})


class DamageStrangersVariant(CoGameMissionVariant):
    """Territory of another team costs a hit point per step."""

    name: str = "damage_strangers"
    description: str = "Cogs lose hit points in the territory of others."
    damage: int = Field(default=1, ge=0)

    def dependencies(self) -> Deps:
        return Deps(required=[TerritoryVariant, DamageVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_presence(env, "damage_strangers", _STRANGER, {"hp": -self.damage})
