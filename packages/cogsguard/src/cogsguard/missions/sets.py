"""Named lists of missions."""

from cogsguard.evals.cognitive_substrate import CATEGORY_MISSIONS
from cogsguard.evals.cognitive_substrate import EVAL_MISSIONS as COGNITIVE_SUBSTRATE_EVAL_MISSIONS
from cogsguard.evals.cvc_evals import CVC_EVAL_MISSIONS
from cogsguard.evals.diagnostic_evals import DIAGNOSTIC_EVALS
from cogsguard.evals.integrated_evals import EVAL_MISSIONS as INTEGRATED_EVAL_MISSIONS
from cogsguard.evals.role_specific_evals import EVAL_MISSIONS as ROLE_SPECIFIC_EVAL_MISSIONS
from cogsguard.evals.spanning_evals import EVAL_MISSIONS as SPANNING_EVAL_MISSIONS
from cogsguard.evals.training_maps import TRAINING_MAPS
from cogsguard.missions.core import make_core_missions
from mettagrid.cogame.core import CoGameMission

_DIAGNOSTIC: list[CoGameMission] = [make() for make in DIAGNOSTIC_EVALS]  # type: ignore[call-arg]

EVAL_MISSIONS: list[CoGameMission] = [
    *INTEGRATED_EVAL_MISSIONS,
    *SPANNING_EVAL_MISSIONS,
    *_DIAGNOSTIC,
    *COGNITIVE_SUBSTRATE_EVAL_MISSIONS,
]

MISSION_SETS: dict[str, list[CoGameMission]] = {
    "cvc_evals": [*CVC_EVAL_MISSIONS],
    "role_specific_evals": [*ROLE_SPECIFIC_EVAL_MISSIONS],
    "diagnostic_evals": [*_DIAGNOSTIC],
    "integrated_evals": [*INTEGRATED_EVAL_MISSIONS],
    "spanning_evals": [*SPANNING_EVAL_MISSIONS],
    "tournament": [*INTEGRATED_EVAL_MISSIONS, *_DIAGNOSTIC],
    "cognitive_substrate_evals": [*COGNITIVE_SUBSTRATE_EVAL_MISSIONS],
    **{f"cognitive_substrate_{name}": [*missions] for name, missions in CATEGORY_MISSIONS.items()},
    "eval_missions": EVAL_MISSIONS,
    "training_maps": [*TRAINING_MAPS],
    "all": [
        *CVC_EVAL_MISSIONS,
        *INTEGRATED_EVAL_MISSIONS,
        *SPANNING_EVAL_MISSIONS,
        *_DIAGNOSTIC,
        *make_core_missions(),
    ],
}
