"""Find missions by name, and load their environments.

    from cogames import missions

    env = missions.load("arena", variants=["no_clips"], cogs=4, seed=7)

- `catalog`: load, list and match the missions of installed games
- `names`: the spellings of a mission's name; `files`: missions in YAML, JSON and Python files
- `arguments`: the values of `-m` and `-S`
- `cog_limits`: how many cogs a mission takes; `drawn_maps`: maps as drawings
"""

from cogames.missions.arguments import ChosenMission, choose_mission, choose_missions
from cogames.missions.catalog import DEFAULT_GAME, get_mission, list, load, match, mission_set

__all__ = [
    "DEFAULT_GAME",
    "ChosenMission",
    "choose_mission",
    "choose_missions",
    "get_mission",
    "list",
    "load",
    "match",
    "mission_set",
]
