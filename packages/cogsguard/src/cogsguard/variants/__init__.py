"""The rules of the game, as variants. Importing this package makes all of them known by name."""

from cogsguard.variants.buildings import BuildingsVariant, ExtractorsVariant, JunctionVariant
from cogsguard.variants.clips import (
    AdaptiveClipsVariant,
    AngryClipsVariant,
    ClipsVariant,
    GreedyClipsVariant,
    NoClipsVariant,
    OverrunVariant,
)
from cogsguard.variants.elements import CargoLimitVariant, ElementsVariant
from cogsguard.variants.endless import EndlessVariant
from cogsguard.variants.energy import DayConfig, DaysVariant, EnergyVariant, SolarVariant, StrictEnergyVariant
from cogsguard.variants.four_score import FourScoreVariant
from cogsguard.variants.gear import GearStationsVariant, GearVariant, TeamGearStationsVariant, WildGearStationsVariant
from cogsguard.variants.health import DamageVariant, HeartVariant, SeedHeartsVariant
from cogsguard.variants.junctions import ExclusiveJunctionsVariant, JunctionDepositVariant, TeamJunctionVariant
from cogsguard.variants.multi_team import MultiTeamVariant
from cogsguard.variants.role_rewards import (
    AlignerRewardVariant,
    MinerRewardVariant,
    ScoutRewardVariant,
    ScramblerRewardVariant,
)
from cogsguard.variants.roles import AlignerRoleVariant, MinerRoleVariant, ScoutRoleVariant, ScramblerRoleVariant
from cogsguard.variants.rulesets import MachinaOneVariant, TutorialVariant
from cogsguard.variants.shaped_rewards import (
    CreditVariant,
    MilestonesVariant,
    NoObjectiveVariant,
    ObjectiveMineVariant,
    PenalizeVibeChangeVariant,
    RoleConditionalVariant,
    ShapedVariant,
)
from cogsguard.variants.teams import HubObservationsVariant, TeamConfig, TeamHubVariant, TeamVariant
from cogsguard.variants.terrain import (
    BaseJunctionVariant,
    CavesVariant,
    CityVariant,
    DesertVariant,
    DistantResourcesVariant,
    EmptyBaseVariant,
    ForestVariant,
    MachinaTerrainVariant,
    MapSeedVariant,
    QuadrantBuildingsVariant,
    RandomizeSpawnsVariant,
    Small50Variant,
)
from cogsguard.variants.territory import DamageStrangersVariant, HealTeamVariant, TerritoryVariant
from cogsguard.variants.vibes import (
    ClearVibesVariant,
    ForcedRoleVibesVariant,
    NoVibesVariant,
    TalkVariant,
    VibesVariant,
)
from mettagrid.cogame.core import CoGameMissionVariant

VARIANT_TYPES: tuple[type[CoGameMissionVariant], ...] = (
    ElementsVariant,
    EnergyVariant,
    SolarVariant,
    DaysVariant,
    DamageVariant,
    HeartVariant,
    GearVariant,
    CargoLimitVariant,
    BuildingsVariant,
    ExtractorsVariant,
    JunctionVariant,
    TeamVariant,
    TeamHubVariant,
    HubObservationsVariant,
    TeamJunctionVariant,
    JunctionDepositVariant,
    TerritoryVariant,
    HealTeamVariant,
    DamageStrangersVariant,
    TeamGearStationsVariant,
    GearStationsVariant,
    WildGearStationsVariant,
    AlignerRoleVariant,
    ScramblerRoleVariant,
    MinerRoleVariant,
    ScoutRoleVariant,
    ClipsVariant,
    GreedyClipsVariant,
    AngryClipsVariant,
    AdaptiveClipsVariant,
    NoClipsVariant,
    OverrunVariant,
    VibesVariant,
    NoVibesVariant,
    TalkVariant,
    ClearVibesVariant,
    ForcedRoleVibesVariant,
    EndlessVariant,
    MultiTeamVariant,
    FourScoreVariant,
    MachinaTerrainVariant,
    Small50Variant,
    DesertVariant,
    ForestVariant,
    CavesVariant,
    CityVariant,
    DistantResourcesVariant,
    QuadrantBuildingsVariant,
    EmptyBaseVariant,
    RandomizeSpawnsVariant,
    MachinaOneVariant,
    TutorialVariant,
    AlignerRewardVariant,
    MinerRewardVariant,
    ScoutRewardVariant,
    ScramblerRewardVariant,
    StrictEnergyVariant,
    ExclusiveJunctionsVariant,
    BaseJunctionVariant,
    SeedHeartsVariant,
    NoObjectiveVariant,
    MilestonesVariant,
    ObjectiveMineVariant,
    CreditVariant,
    RoleConditionalVariant,
    PenalizeVibeChangeVariant,
    ShapedVariant,
)
"""All variants that can be chosen by name alone; `map_seed` needs a seed."""

__all__ = [*(kind.__name__ for kind in VARIANT_TYPES), "VARIANT_TYPES", "DayConfig", "MapSeedVariant", "TeamConfig"]


def all_variants() -> list[CoGameMissionVariant]:
    """One of each with default settings."""
    kinds: tuple[type, ...] = VARIANT_TYPES
    return [kind() for kind in kinds]
