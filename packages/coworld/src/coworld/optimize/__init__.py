"""The local improve, run, compare loop behind `coworld optimize`.

arena = EpisodeArena(load_package("coworld_manifest.json"), variants=["quick", "quick-small"])
outcome = optimize(Path("my-player"), arena, program(["./improve.sh"]), state=Path("optimize"), iterations=5)
Versions(Path("optimize/versions")).write(outcome.best, Path("my-player"))
"""

from coworld.optimize.arena import Arena, Condition, EpisodeArena, Played
from coworld.optimize.errors import OptimizeError
from coworld.optimize.improver import Improver, ImproverFailed, Task, program
from coworld.optimize.loop import Outcome, optimize
from coworld.optimize.statistics import paired_interval
from coworld.optimize.versions import Versions

__all__ = [
    "Arena",
    "Condition",
    "EpisodeArena",
    "Improver",
    "ImproverFailed",
    "OptimizeError",
    "Outcome",
    "Played",
    "Task",
    "Versions",
    "optimize",
    "paired_interval",
    "program",
]
