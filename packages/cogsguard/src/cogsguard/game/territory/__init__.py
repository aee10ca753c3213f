"""Territory: cells owned by the team with the most influence over them."""

from cogsguard.game.territory.damage_strangers import DamageStrangersVariant
from cogsguard.game.territory.heal_team import HealTeamVariant
from cogsguard.game.territory.territory import (
    HUB_ALIGN_DISTANCE,
    JUNCTION_ALIGN_DISTANCE,
    TERRITORY_CONTROL_RADIUS,
    TerritoryVariant,
    net_materialized_query,
)

__all__ = [
    "HUB_ALIGN_DISTANCE",
    "JUNCTION_ALIGN_DISTANCE",
    "TERRITORY_CONTROL_RADIUS",
    "DamageStrangersVariant",
    "HealTeamVariant",
    "TerritoryVariant",
    "net_materialized_query",
]
