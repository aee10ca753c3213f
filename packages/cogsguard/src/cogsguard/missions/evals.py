"""Missions for evaluation that use the rules of the game: integrated, spanning, diagnostic, on drawn maps, by role."""

from collections.abc import Sequence

from cogsguard.missions.arenas import arena_map
from cogsguard.missions.core_missions import TUTORIAL
from cogsguard.missions.drawn import drawn_mission
from cogsguard.missions.mission import CvCMission
from cogsguard.names import ROLES
from cogsguard.variants import (
    BaseJunctionVariant,
    DayConfig,
    DaysVariant,
    EnergyVariant,
    SeedHeartsVariant,
)
from mettagrid.cogame.core import CoGameMissionVariant
from mettagrid.mapgen.mapgen import MapGen
from mettagrid.mapgen.scenes.compound import Compound
from mettagrid.mapgen.scenes.random_transform import RandomTransform

_PLENTY = 255


def _days(solar: int) -> DaysVariant:
    return DaysVariant(days=DayConfig(day_solar=solar, night_solar=solar))


def _free_energy() -> list[CoGameMissionVariant]:
    return [EnergyVariant(limit=_PLENTY), _days(_PLENTY)]


def _on_arena(
    name: str, description: str, variants: "Sequence[str | CoGameMissionVariant]", *, size: int = 100
) -> CvCMission:
    mission = CvCMission(name=name, description=description, map_builder=arena_map(size, 8), num_cogs=8)
    return mission.with_variants(variants)


INTEGRATED = [_on_arena("energy_starved", "The sun never shines.", [_days(0)])]

SPANNING = [
    _on_arena("distant_resources_easy", "Extractors far away, energy for all.", ["distant_resources", *_free_energy()]),
    _on_arena("distant_resources_standard", "Extractors far away.", ["distant_resources"]),
    _on_arena("distant_resources_hard", "Extractors far away, no sun.", ["distant_resources", _days(0)]),
    _on_arena(
        "quadrant_buildings_easy",
        "Each element in its quadrant, energy for all.",
        ["quadrant_buildings", BaseJunctionVariant(), *_free_energy()],
    ),
    _on_arena(
        "quadrant_buildings_standard",
        "Each element in its quadrant, none in the base.",
        ["quadrant_buildings", "empty_base", BaseJunctionVariant()],
    ),
    _on_arena(
        "quadrant_buildings_hard",
        "Each element in its quadrant, none in the base, no sun.",
        ["quadrant_buildings", "empty_base", BaseJunctionVariant(), _days(0)],
    ),
    CvCMission(
        name="easy_hearts_training",
        description="A small base, energy for all.",
        map_builder=MapGen.Config(
            instance=RandomTransform.Config(
                scene=Compound.Config(
                    hub_object="c:hub",
                    hub_width=13,
                    hub_height=13,
                    outer_clearance=0,
                    spawn_count=8,
                    corner_bundle="extractors",
                    cross_objects=["junction", "", "", ""],
                    cross_distance=5,
                    stations=[f"c:{role}" for role in ROLES],
                )
            ),
            width=13,
            height=13,
        ),
        num_cogs=8,
    ).with_variants(_free_energy()),
    _on_arena("easy_small_hearts", "A small map, energy for all.", _free_energy(), size=50),
    _on_arena("easy_medium_hearts", "A middle-sized map, energy for all.", _free_energy()),
    _on_arena("easy_large_hearts", "A very large map, energy for all.", _free_energy(), size=500),
]


# name, map, steps, description
_SKILLS = (
    ("chest_navigation1", "chest_navigation1", 250, "Walk to a junction in sight and align it."),
    ("chest_navigation2", "chest_navigation2", 250, "Walk to a junction past pillars and align it."),
    ("chest_navigation3", "chest_navigation3", 250, "Walk to a junction through a cave and align it."),
    ("chest_deposit_near", "chest_near", 250, "Align the junction beside the base."),
    ("chest_deposit_search", "chest_search", 250, "Find the junction and align it."),
    ("charge_up", "charge_up", 250, "Align a junction at the end of a long way."),
    ("memory", "memory", 110, "Align a junction that is out of sight from the start."),
    ("chest_navigation1_hard", "chest_navigation1_hard", 250, "Walk to a junction far across a hall."),
    ("chest_navigation2_hard", "chest_navigation2_hard", 250, "Walk to a junction far behind pillars."),
    ("chest_navigation3_hard", "chest_navigation3_hard", 250, "Walk to a junction deep in a cave."),
    ("chest_deposit_search_hard", "chest_search_hard", 250, "Find the junction in a very large cave."),
    ("charge_up_hard", "charge_up_hard", 350, "Align a junction at the end of a very long way."),
    ("memory_hard", "memory_hard", 170, "Align a junction far out of sight."),
)

DIAGNOSTIC = [
    drawn_mission(f"diagnostic_{name}", text, f"diagnostic_evals/diagnostic_{place}", steps=steps).with_variants(
        [SeedHeartsVariant(), *([EnergyVariant(initial=60)] if name.startswith("charge_up") else [])]
    )
    for name, place, steps, text in _SKILLS
]

_DRAWN = {
    "eval_balanced_spread": "Extractors of all kinds all around.",
    "eval_clip_oxygen": "Hardly any oxygen.",
    "eval_collect_resources": "Extractors near the base.",
    "eval_collect_resources_medium": "Extractors far from the base.",
    "eval_collect_resources_hard": "Few extractors, far from the base.",
    "eval_divide_and_conquer": "Three halls with one gate between each.",
    "eval_energy_starved": "Few extractors and no sun.",
    "eval_multi_coordinated_collect_hard": "Many extractors, far from the base.",
    "eval_oxygen_bottleneck": "One oxygen extractor.",
    "eval_single_use_world": "One extractor of each kind.",
    "extractor_hub_30x30": "A cave of 30 x 30 cells.",
    "extractor_hub_50x50": "A cave of 50 x 50 cells.",
    "extractor_hub_70x70": "A cave of 70 x 70 cells.",
    "extractor_hub_80x80": "A cave of 80 x 80 cells.",
    "extractor_hub_100x100": "A cave of 100 x 100 cells.",
}

_SEVEN = ("extractor_hub_50x50", "extractor_hub_80x80", "extractor_hub_100x100")  # cogs

CVC_EVALS = [
    drawn_mission(name, text, f"evals/{name}", cogs=7 if name in _SEVEN else 8).with_variants(
        [_days(0)] if name == "eval_energy_starved" else []
    )
    for name, text in _DRAWN.items()
]

ROLE_SPECIFIC = [
    TUTORIAL.model_copy(
        update={
            "name": f"{role}_tutorial",
            "description": f"The tutorial, paid for playing {role}.",
            "sub_missions": [],
        },
        deep=True,
    ).with_variants([role])
    for role in sorted(ROLES)
]

# name: cogs, description
_FIXED = {
    "training_facility_open_1": (4, "An open room with one of everything."),
    "training_facility_open_2": (4, "A larger open room with one of everything."),
    "training_facility_open_3": (4, "An open room with one of everything, placed otherwise."),
    "training_facility_tight_4": (4, "Narrow corridors with one of everything."),
    "training_facility_tight_5": (4, "Narrow corridors with one of everything."),
    "training_facility_clipped": (4, "An open room with ships of the clips in its corners."),
    "vanilla_small": (4, "A base and a junction."),
    "vanilla_large": (4, "A base and a junction in a large room."),
    "cave_base_50": (8, "A cave."),
    "machina_100_stations": (8, "A large cave."),
    "machina_200_stations": (8, "A very large cave."),
    "machina_200_stations_small": (8, "A long cave."),
    "machina_eval_exp01": (1, "A small cave for one cog."),
    "machina_eval_template_large": (1, "A cave for one cog."),
}

TRAINING_MAPS = [drawn_mission(name, text, name, cogs=cogs) for name, (cogs, text) in _FIXED.items()]
