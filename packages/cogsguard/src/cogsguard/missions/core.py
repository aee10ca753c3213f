"""The main missions."""

from cogsguard.missions.arena import make_basic_mission
from cogsguard.missions.empty import make_empty_mission
from cogsguard.missions.four_score import FourScoreMission
from cogsguard.missions.machina_1 import make_machina1_mission
from cogsguard.missions.mission import CvCMission
from cogsguard.missions.tutorial import make_tutorial_mission


def make_core_missions() -> list[CvCMission]:
    """Return `empty`, `machina_1`, `arena`, `tutorial` and `four_score`."""
    return [
        make_empty_mission(),
        make_machina1_mission(),
        make_basic_mission(),
        make_tutorial_mission(),
        FourScoreMission(),
    ]
