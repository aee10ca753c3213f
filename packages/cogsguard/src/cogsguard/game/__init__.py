"""The rules of the game, as variants. A name is imported from its module when it is first used.

`VARIANTS` holds one of each variant that can be chosen by name alone.
"""

import importlib

from mettagrid.cogame.core import CoGameMissionVariant

_MODULES = {
    "game.elements": ["ElementsVariant"],
    "game.energy": ["EnergyVariant"],
    "game.solar": ["SolarVariant"],
    "game.days": ["DaysVariant"],
    "game.damage": ["DamageVariant"],
    "game.heart": ["HeartVariant"],
    "game.gear": ["GearVariant"],
    "game.cargo": ["CargoLimitVariant"],
    "game.terrain.terrain": [
        "BuildingsVariant",
        "CavesVariant",
        "CityVariant",
        "DesertVariant",
        "DistantResourcesVariant",
        "ForestVariant",
        "QuadrantBuildingsVariant",
        "Small50Variant",
    ],
    "game.terrain.base_compound": ["EmptyBaseVariant", "RandomizeSpawnsVariant"],
    "game.extractors": ["ExtractorsVariant"],
    "game.junction": ["JunctionVariant"],
    "game.base_junction": ["BaseJunctionVariant"],
    "game.teams.team": ["TeamVariant"],
    "game.teams.hub": ["TeamHubVariant"],
    "game.teams.hub_observations": ["HubObservationsVariant"],
    "game.teams.junction": ["TeamJunctionVariant"],
    "game.teams.junction_deposit": ["JunctionDepositVariant"],
    "game.teams.gear_stations": ["TeamGearStationsVariant"],
    "game.teams.four_score": ["FourScoreVariant"],
    "game.multi_team": ["MultiTeamVariant"],
    "game.territory.territory": ["TerritoryVariant"],
    "game.territory.heal_team": ["HealTeamVariant"],
    "game.territory.damage_strangers": ["DamageStrangersVariant"],
    "game.gear_stations": ["GearStationsVariant", "WildGearStationsVariant"],
    "game.roles.aligner": ["AlignerVariant"],
    "game.roles.miner": ["MinerVariant"],
    "game.roles.scout": ["ScoutVariant"],
    "game.roles.scrambler": ["ScramblerVariant"],
    "game.clips.clips": [
        "AdaptiveClipsVariant",
        "AngryClipsVariant",
        "ClipsVariant",
        "GreedyClipsVariant",
        "NoClipsVariant",
    ],
    "game.vibes": ["NoVibesVariant", "VibesVariant"],
    "game.talk": ["TalkVariant"],
    "game.clear_vibes": ["ClearVibesVariant"],
    "game.forced_role_vibes": ["ForcedRoleVibesVariant"],
    "game.endless": ["EndlessVariant"],
    "game.strict": ["ExclusiveJunctionsVariant", "StrictEnergyVariant"],
    "game.shaped_rewards": [
        "CreditVariant",
        "MilestonesVariant",
        "NoObjectiveVariant",
        "ObjectiveMineVariant",
        "PenalizeVibeChangeVariant",
        "RoleConditionalVariant",
        "ShapedVariant",
    ],
    "missions.terrain": ["MachinaTerrainVariant"],
    "missions.machina_1": ["CvCMachina1Variant"],
    "missions.tutorial": [
        "AlignerRewardsVariant",
        "CvCTutorialVariant",
        "MinerRewardsVariant",
        "OverrunVariant",
        "ScoutRewardsVariant",
        "ScramblerRewardsVariant",
    ],
}
"""The modules below `cogsguard` and their variants."""

_OTHERS = {
    "BaseCompoundVariant": "game.terrain.base_compound",
    "CvCExtractorConfig": "game.extractors",
    "GEAR": "game.multi_team",
}
_ALIASES = {"JunctionNetVariant": "TerritoryVariant"}  # older names
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names} | _OTHERS

__all__ = ["VARIANTS", "CoGameMissionVariant", "import_all", *_MODULE_OF]


def import_all() -> None:
    """Import every variant of the game, so that it is known by name."""
    for module in _MODULES:
        importlib.import_module(f"cogsguard.{module}")


def _get_all_variants() -> list[CoGameMissionVariant]:
    """Return one of each variant, with its default settings."""
    modules = ((importlib.import_module(f"cogsguard.{path}"), names) for path, names in _MODULES.items())
    return [getattr(module, name)() for module, names in modules for name in names]


def __getattr__(name: str) -> object:
    if name == "VARIANTS":
        return _get_all_variants()
    name = _ALIASES.get(name, name)
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"cogsguard.{_MODULE_OF[name]}"), name)
