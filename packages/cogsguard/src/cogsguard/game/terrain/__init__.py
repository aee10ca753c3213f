"""Landscapes, buildings and bases of procedural maps."""

from cogsguard.game.terrain.base_compound import BaseCompoundVariant, EmptyBaseVariant, RandomizeSpawnsVariant
from cogsguard.game.terrain.terrain import (
    BuildingsVariant,
    CavesVariant,
    CityVariant,
    DesertVariant,
    DistantResourcesVariant,
    ForestVariant,
    QuadrantBuildingsVariant,
    Small50Variant,
)

__all__ = [
    "BaseCompoundVariant",
    "BuildingsVariant",
    "CavesVariant",
    "CityVariant",
    "DesertVariant",
    "DistantResourcesVariant",
    "EmptyBaseVariant",
    "ForestVariant",
    "QuadrantBuildingsVariant",
    "RandomizeSpawnsVariant",
    "Small50Variant",
]
