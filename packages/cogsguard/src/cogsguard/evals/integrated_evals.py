"""Evaluations of the whole game under one condition."""

from cogsguard.game.days import DayConfig, DaysVariant
from cogsguard.game.territory.damage_strangers import DamageStrangersVariant
from cogsguard.missions.arenas import arena_map
from cogsguard.missions.mission import CvCMission
from mettagrid.mapgen.mapgen import MapGenConfig

COGS = 8


def hello_world_map(size: int, cogs: int = COGS) -> MapGenConfig:
    """Return an arena with a side of `size` cells."""
    return arena_map(size, cogs)


SMALL_HELLO_WORLD_MAP = hello_world_map(50)
MEDIUM_HELLO_WORLD_MAP = hello_world_map(100)
LARGE_HELLO_WORLD_MAP = hello_world_map(500)
HELLO_WORLD_MAP = MEDIUM_HELLO_WORLD_MAP


def solar(power: int) -> DaysVariant:
    """Return days and nights with the same solar power."""
    return DaysVariant(days_config=DayConfig(day_solar=power, night_solar=power))


EnergyStarved = CvCMission(
    name="energy_starved",
    description="The sun never shines.",
    map_builder=HELLO_WORLD_MAP.model_copy(deep=True),
    num_cogs=COGS,
).with_variants([DamageStrangersVariant(), solar(0)])

EVAL_MISSIONS = [EnergyStarved]
