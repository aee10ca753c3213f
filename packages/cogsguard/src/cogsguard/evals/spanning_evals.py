"""Evaluations that span a range of difficulty."""

from cogsguard.evals.integrated_evals import (
    COGS,
    LARGE_HELLO_WORLD_MAP,
    MEDIUM_HELLO_WORLD_MAP,
    SMALL_HELLO_WORLD_MAP,
    solar,
)
from cogsguard.game.base_junction import BaseJunctionVariant
from cogsguard.game.energy import EnergyVariant
from cogsguard.game.heart import HeartVariant
from cogsguard.game.terrain import DistantResourcesVariant, EmptyBaseVariant, QuadrantBuildingsVariant
from cogsguard.missions.mission import CvCMission
from cogsguard.names import ROLES
from mettagrid.cogame.core import CoGameMissionVariant
from mettagrid.mapgen.mapgen import MapGen, MapGenConfig
from mettagrid.mapgen.scenes.compound import Compound
from mettagrid.mapgen.scenes.random_transform import RandomTransform

_PLENTY = 255

TRAINING_FACILITY_MAP = MapGen.Config(
    instance=RandomTransform.Config(
        scene=Compound.Config(
            hub_object="c:hub",
            hub_width=13,
            hub_height=13,
            outer_clearance=0,
            spawn_count=COGS,
            corner_bundle="extractors",
            cross_objects=["junction", "", "", ""],
            cross_distance=5,
            stations=[f"c:{role}" for role in ROLES],
        )
    ),
    width=13,
    height=13,
)


def _free_energy() -> list[CoGameMissionVariant]:
    return [EnergyVariant(limit=_PLENTY), solar(_PLENTY)]


def _mission(
    name: str,
    description: str,
    variants: list[CoGameMissionVariant],
    map_builder: MapGenConfig = MEDIUM_HELLO_WORLD_MAP,
) -> CvCMission:
    mission = CvCMission(
        name=name, description=description, map_builder=map_builder.model_copy(deep=True), num_cogs=COGS
    )
    return mission.with_variants(variants)


def _quadrants(*variants: CoGameMissionVariant) -> list[CoGameMissionVariant]:
    """Return variants that put each element in a quadrant and, because no junction is elsewhere, one in the base."""
    return [QuadrantBuildingsVariant(), *variants, BaseJunctionVariant()]


DistantResourcesEasy = _mission(
    "distant_resources_easy", "Extractors far away, free energy.", [DistantResourcesVariant(), *_free_energy()]
)
DistantResourcesStandard = _mission("distant_resources_standard", "Extractors far away.", [DistantResourcesVariant()])
DistantResourcesHard = _mission(
    "distant_resources_hard", "Extractors far away, no sun.", [DistantResourcesVariant(), solar(0)]
)
DistantResources = DistantResourcesStandard
QuadrantBuildingsEasy = _mission(
    "quadrant_buildings_easy", "Each element in a quadrant, free energy.", _quadrants(*_free_energy())
)
QuadrantBuildingsStandard = _mission(
    "quadrant_buildings_standard", "Each element in a quadrant, none in the base.", _quadrants(EmptyBaseVariant())
)
QuadrantBuildingsHard = _mission(
    "quadrant_buildings_hard",
    "Each element in a quadrant, none in the base, no sun.",
    _quadrants(EmptyBaseVariant(), solar(0)),
)
QuadrantBuildings = QuadrantBuildingsStandard
EasyHeartsTraining = _mission(
    "easy_hearts_training", "A small base, free energy.", [HeartVariant(), *_free_energy()], TRAINING_FACILITY_MAP
)
EasyHeartsSmallWorld = _mission(
    "easy_small_hearts", "A small map, free energy.", [HeartVariant(), *_free_energy()], SMALL_HELLO_WORLD_MAP
)
EasyHeartsMediumWorld = _mission(
    "easy_medium_hearts", "A middle-sized map, free energy.", [HeartVariant(), *_free_energy()]
)
EasyHeartsLargeWorld = _mission(
    "easy_large_hearts", "A very large map, free energy.", [HeartVariant(), *_free_energy()], LARGE_HELLO_WORLD_MAP
)

EVAL_MISSIONS = [
    DistantResourcesEasy,
    DistantResourcesStandard,
    DistantResourcesHard,
    QuadrantBuildingsEasy,
    QuadrantBuildingsStandard,
    QuadrantBuildingsHard,
    EasyHeartsTraining,
    EasyHeartsSmallWorld,
    EasyHeartsMediumWorld,
    EasyHeartsLargeWorld,
]
