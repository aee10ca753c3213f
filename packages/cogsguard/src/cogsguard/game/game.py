"""The game `cogsguard`. Importing this module registers it."""

from cogsguard.missions.core_missions import CORE_MISSIONS
from cogsguard.missions.evals import CVC_EVALS, DIAGNOSTIC, INTEGRATED, ROLE_SPECIFIC, SPANNING, TRAINING_MAPS
from cogsguard.missions.substrate import COGNITIVE_SUBSTRATE, EXPLORATION, MEMORY, PLANNING
from cogsguard.variants import all_variants
from mettagrid.cogame.core import CoGameMission
from mettagrid.cogame.game import CoGame, register_game

EVAL_MISSIONS: list[CoGameMission] = [*INTEGRATED, *SPANNING, *DIAGNOSTIC, *COGNITIVE_SUBSTRATE]

_CVC: list[CoGameMission] = [*CVC_EVALS]

MISSION_SETS: dict[str, list[CoGameMission]] = {
    "cvc_evals": _CVC,
    "role_specific_evals": [*ROLE_SPECIFIC],
    "diagnostic_evals": [*DIAGNOSTIC],
    "integrated_evals": [*INTEGRATED],
    "spanning_evals": [*SPANNING],
    "tournament": [*INTEGRATED, *DIAGNOSTIC],
    "cognitive_substrate_evals": [*COGNITIVE_SUBSTRATE],
    "cognitive_substrate_memory": [*MEMORY],
    "cognitive_substrate_exploration": [*EXPLORATION],
    "cognitive_substrate_planning": [*PLANNING],
    "eval_missions": EVAL_MISSIONS,
    "training_maps": [*TRAINING_MAPS],
    "all": [*_CVC, *INTEGRATED, *SPANNING, *DIAGNOSTIC, *CORE_MISSIONS],
}
"""Named lists of missions."""

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
    """Cogs vs Clips."""

    def __init__(self) -> None:
        super().__init__(
            name="cogsguard",
            missions=CORE_MISSIONS,
            variants=all_variants(),
            eval_missions=EVAL_MISSIONS,
            mission_sets=MISSION_SETS,
            aliases=ALIASES,
        )


GAME = CvCGame()
register_game(GAME)
