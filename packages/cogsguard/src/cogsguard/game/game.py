"""The game `cogsguard`. Importing this module registers it."""

from functools import cached_property

from cogsguard.missions.arena import make_basic_mission
from cogsguard.missions.core import make_core_missions
from cogsguard.missions.empty import make_empty_mission
from cogsguard.missions.four_score import FourScoreMission
from cogsguard.missions.machina_1 import make_machina1_mission
from cogsguard.missions.mission import CvCMission
from cogsguard.missions.tutorial import make_tutorial_mission
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, VariantRegistry
from mettagrid.cogame.game import CoGame, register_game

__all__ = [
    "ALIASES",
    "GAME",
    "CvCGame",
    "CvCMission",
    "FourScoreMission",
    "make_basic_mission",
    "make_empty_mission",
    "make_machina1_mission",
    "make_tutorial_mission",
]

ALIASES = {
    "cogsguard_arena": "arena",
    "cogsguard_arena.basic": "arena",
    "arena.basic": "arena",
    "cogsguard_machina_1": "machina_1",
    "cogsguard_machina_1.basic": "machina_1",
    "machina_1.basic": "machina_1",
    "machina_1.open_world": "machina_1",
    "machina_1.balanced_corners": "machina_1",
    "machina_1.open_world_with_chests": "machina_1",
    "machina_1.open_world_shared_rewards": "machina_1",
    "hello_world": "arena",
    "hello_world.open_world": "arena",
    "hello_world.easy_hearts_hello_world": "easy_small_hearts",
    "hello_world.hello_world_unclip": "arena",
    "training_facility": "training_facility_open_1",
    "training_facility.harvest": "training_facility_open_1",
    "training_facility.vibe_check": "training_facility_open_2",
    "training_facility.repair": "training_facility_open_3",
    "training_facility.easy_hearts_training_facility": "easy_hearts_training",
    "training_facility.tutorial": "tutorial",
    "training_facility_1": "training_facility_open_1",
    "training_facility_2": "training_facility_open_2",
    "training_facility_3": "training_facility_open_3",
    "training_facility_4": "training_facility_tight_4",
    "training_facility_5": "training_facility_tight_5",
    "training_facility_6": "training_facility_clipped",
}
"""Names of older documents."""


class CvCGame(CoGame):
    """Cogs vs Clips. The main missions are created at once; variants and other missions on first use."""

    def __init__(self) -> None:
        self.name = "cogsguard"
        self.missions = [*make_core_missions()]
        self.aliases = dict(ALIASES)

    @cached_property
    def variants(self) -> list[CoGameMissionVariant]:  # type: ignore[override]
        from cogsguard.game import _get_all_variants

        return _get_all_variants()

    @cached_property
    def variant_registry(self) -> VariantRegistry:  # type: ignore[override]
        return VariantRegistry(self.variants)

    @cached_property
    def eval_missions(self) -> list[CoGameMission]:  # type: ignore[override]
        from cogsguard.missions.sets import EVAL_MISSIONS

        return [*EVAL_MISSIONS]

    @cached_property
    def mission_sets(self) -> dict[str, list[CoGameMission]]:  # type: ignore[override]
        from cogsguard.missions.sets import MISSION_SETS

        return {name: [*members] for name, members in MISSION_SETS.items()}


GAME = CvCGame()
register_game(GAME)
