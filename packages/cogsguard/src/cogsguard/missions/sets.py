"""Named lists of missions."""

from cogsguard.missions.core_missions import CORE_MISSIONS
from cogsguard.missions.evals import CVC_EVALS, DIAGNOSTIC, INTEGRATED, ROLE_SPECIFIC, SPANNING, TRAINING_MAPS
from cogsguard.missions.substrate import COGNITIVE_SUBSTRATE, EXPLORATION, MEMORY, PLANNING
from mettagrid.cogame.core import CoGameMission

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
