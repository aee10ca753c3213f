"""A ladder at home: policies, missions and maps, ratings with intervals, and one report.

    from cogames.ladder import Ladder, make_entrants, make_missions, play_ladder

    ladder = Ladder(make_entrants(["starter", "random"]), make_missions(choose_missions(["arena"], max_steps=200)))
    played = play_ladder(ladder, Path("my-ladder"))
    print(played.results.standings[0].name, played.report)

- `entrants`, `house`, `season`: policies from names, files, the house set and seasons
- `missions`, `games`: how two policies meet, and the episodes that decide it
- `plan`, `pairing`, `run`: the schedule; `folder`, `records`: finished games on disk
- `duels`, `measures`, `decisive`, `summary`, `results`: the outcome of duels, and its reasons
- `telling`, `recordings`, `report*`, `outputs`: replays, the report and tables
"""

from cogames.ladder.entrants import Entrant, make_entrants
from cogames.ladder.errors import LadderError
from cogames.ladder.missions import LadderMission, make_missions
from cogames.ladder.plan import Ladder
from cogames.ladder.results import LadderResults
from cogames.ladder.run import PlayedLadder, play_ladder

__all__ = [
    "Entrant",
    "Ladder",
    "LadderError",
    "LadderMission",
    "LadderResults",
    "PlayedLadder",
    "make_entrants",
    "make_missions",
    "play_ladder",
]
