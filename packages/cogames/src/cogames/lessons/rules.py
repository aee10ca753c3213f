"""The numbers that lessons mention, read from the rules of a mission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cogsguard.game.cargo import CargoLimitVariant
from cogsguard.game.clips import ClipsVariant
from cogsguard.game.damage import DamageVariant
from cogsguard.game.extractors import ExtractorsVariant
from cogsguard.game.gear import GearVariant
from cogsguard.game.heart import HeartVariant
from cogsguard.game.teams import TeamJunctionVariant
from cogsguard.game.territory import DamageStrangersVariant, TerritoryVariant
from cogsguard.missions.mission import CvCMission
from cogsguard.names import ELEMENTS

__all__ = ["Rules", "read_rules"]


@dataclass(frozen=True)
class Rules:
    """Limits of a cog, costs and ranges."""

    hp: int
    hp_with: Mapping[str, int]
    """most hp with a piece of gear"""
    upkeep: int
    """hp that every step costs"""
    enemy_damage: int
    """additional hp that a step in enemy territory costs"""
    cargo: int
    miner_cargo: int
    extract: int
    miner_extract: int
    hearts: int
    """most hearts a cog carries"""
    heart_cost: int
    """of each element"""
    gear_cost: Mapping[str, Mapping[str, int]]
    hub_reach: int
    """farthest that a junction can be from the hub to be aligned"""
    network_reach: int
    """the same from a junction in the network"""
    hub_territory: int
    junction_territory: int
    first_wave: int
    wave_interval: int

    def price(self, gear: str) -> str:
        """Return the price of gear, in words."""
        cost = self.gear_cost[gear]
        main_element = max(cost, key=lambda element: cost[element])
        return f"{cost[main_element]} {main_element} and {min(cost.values())} of each other element"


def read_rules(mission: CvCMission) -> Rules:
    """Read the rules of a mission."""
    copy = mission.model_copy(deep=True)
    copy.import_variants()
    registry = copy.variants()
    registry.run_configure([copy.default_variant or ""], copy.variant_module_prefixes())
    damage, cargo = registry.required(DamageVariant), registry.required(CargoLimitVariant)
    extractors, heart = registry.required(ExtractorsVariant), registry.required(HeartVariant)
    junctions, clips = registry.required(TeamJunctionVariant), registry.required(ClipsVariant).require_clips()
    extract = {way.name: way.amount for way in extractors.extraction_handlers}
    control_range = registry.required(TerritoryVariant).control_range
    return Rules(
        hp=damage.limit,
        hp_with=dict(damage.modifiers),
        upkeep=-damage.regen,
        enemy_damage=-registry.required(DamageStrangersVariant).damage_rate,
        cargo=cargo.limit,
        miner_cargo=cargo.modifiers["miner"],
        extract=extract["extract"],
        miner_extract=extract["miner_extract"],
        hearts=heart.limit,
        heart_cost=heart.cost[ELEMENTS[0]],
        gear_cost=registry.required(GearVariant).station_costs,
        hub_reach=junctions.hub_align_radius,
        network_reach=junctions.junction_align_radius,
        hub_territory=2 * control_range,
        junction_territory=control_range,
        first_wave=clips.scramble_start,
        wave_interval=clips.scramble_interval,
    )
