"""The cases of a diagnosis: missions of a set, each with a number of cogs."""

from collections.abc import Sequence
from dataclasses import dataclass

from cogames import missions
from mettagrid.cogame.core import CoGameMission
from mettagrid.config.mettagrid_config import MettaGridConfig

DEFAULT_COGS = (1, 2, 4)


@dataclass(frozen=True)
class DiagnoseCase:
    """A mission with a number of cogs."""

    mission: str
    cogs: int

    @property
    def name(self) -> str:
        return f"{self.mission} (cogs={self.cogs})"

    @property
    def file_name(self) -> str:
        """Return the base name of files about this case, without a suffix."""
        return f"{self.mission}-cogs{self.cogs}"


def find_cases(
    mission_set: str, *, experiments: Sequence[str] = (), cogs: Sequence[int] = (), game: str = missions.DEFAULT_GAME
) -> list[DiagnoseCase]:
    """Return the cases of a mission set, in its order; raise `MissionError` for an unknown set."""
    chosen = _chosen(mission_set, experiments, game)
    return [DiagnoseCase(mission.name, count) for mission in chosen for count in _cog_counts(mission, cogs)]


def explain_no_cases(
    mission_set: str, *, experiments: Sequence[str] = (), cogs: Sequence[int] = (), game: str = missions.DEFAULT_GAME
) -> str:
    """Explain in one sentence why `find_cases` found no case: no mission matches, or no number of cogs does."""
    chosen = _chosen(mission_set, experiments, game)
    if not chosen:
        names = ", ".join(missions.mission_set(mission_set, game=game))
        return f"No mission of {mission_set!r} matches --experiments; it has {names}."
    allowed = {count for mission in chosen for count in _cog_counts(mission, ())}
    requested, possible = (" or ".join(map(str, sorted(counts))) for counts in (set(cogs), allowed))
    return f"No chosen mission of {mission_set!r} takes {requested} cogs; they take {possible}."


def load_case(case: DiagnoseCase, *, steps: int, game: str = missions.DEFAULT_GAME) -> MettaGridConfig:
    """Return the environment of a case."""
    fixed = missions.get_mission(case.mission, game=game).num_cogs
    env = missions.load(case.mission, cogs=None if fixed == case.cogs else case.cogs, game=game)
    env.game.max_steps = steps
    return env


def _cog_counts(mission: CoGameMission, requested: Sequence[int]) -> list[int]:
    if mission.num_cogs is not None:
        return [mission.num_cogs] if not requested or mission.num_cogs in requested else []
    return [
        count for count in dict.fromkeys(requested or DEFAULT_COGS) if mission.min_cogs <= count <= mission.max_cogs
    ]


def _chosen(mission_set: str, experiments: Sequence[str], game: str) -> list[CoGameMission]:
    return [
        missions.get_mission(name, game=game)
        for name in missions.mission_set(mission_set, game=game)
        if not experiments or any(text == name or text.endswith(f".{name}") for text in experiments)
    ]
