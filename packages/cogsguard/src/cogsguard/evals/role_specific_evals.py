"""The tutorial, paid for playing one role."""

from cogsguard.missions.tutorial import TUTORIAL_SUB_MISSIONS, TutorialMission


def _mission(role: str) -> TutorialMission:
    mission = TutorialMission(
        name=f"{role}_tutorial", description=f"The tutorial, paid for playing {role}.", sub_missions=[]
    )
    return mission.with_variants([role])


EVAL_MISSIONS = [_mission(role) for role in TUTORIAL_SUB_MISSIONS]
