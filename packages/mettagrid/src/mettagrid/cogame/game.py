"""Games: collections of missions and variants, registered under a name.

A game registers itself when its module is imported (`register_game`). Installed packages name that module as an entry
point in the group `cogames.games`, so `get_game("cogsguard")` finds a game that has not been imported yet.
"""

import importlib
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points

from mettagrid.cogame.core import CoGameMission
from mettagrid.cogame.errors import MissionError, UnknownGame
from mettagrid.cogame.variants import CoGameMissionVariant, VariantRegistry

__all__ = ["ENTRY_POINT_GROUP", "CoGame", "get_game", "installed_games", "register_game"]

ENTRY_POINT_GROUP = "cogames.games"
_MODULES = {
    "amongcogs": "amongcogs.game.game",
    "cogsguard": "cogsguard.game.game",
    "diplomacog": "diplomacog.cogame",
    "hungercog": "hungercog.game",
    "overcogged": "overcogged.game.game",
    "tribalcog": "tribal_village_env.recipe",
    "werecog": "werecog.cogame",
}
"""Games whose packages have no entry point: the module that registers each."""

_games: dict[str, "CoGame"] = {}


class CoGame:
    """A game: its missions, the variants offered for them, and missions for evaluation.

    `mission_sets` names lists of missions, `aliases` gives further names to missions. `variant_registry` holds the
    same variants as `variants`, by name.
    """

    def __init__(
        self,
        name: str,
        missions: Sequence[CoGameMission],
        variants: Sequence[CoGameMissionVariant],
        eval_missions: Sequence[CoGameMission] | None = None,
        *,
        mission_sets: Mapping[str, Sequence[CoGameMission]] | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.missions = list(missions)
        self.variants = list(variants)
        self.variant_registry = VariantRegistry(self.variants)
        self.eval_missions = list(eval_missions or ())
        self.mission_sets = {key: list(members) for key, members in (mission_sets or {}).items()}
        self.aliases = dict(aliases or {})

    def all_missions(self) -> list[CoGameMission]:
        """Missions, missions for evaluation, and members of mission sets, each name once."""
        members = [mission for missions in self.mission_sets.values() for mission in missions]
        named: dict[str, CoGameMission] = {}
        for mission in (*self.missions, *self.eval_missions, *members):
            named.setdefault(mission.name, mission)
        return list(named.values())


def register_game(game: CoGame) -> None:
    """Register a game; one of the same name is replaced."""
    _games[game.name] = game


def installed_games() -> list[str]:
    """Return the names of registered games and of those that installed packages offer."""
    return sorted({*_games, *(entry.name for entry in _entries())})


def get_game(name: str) -> CoGame:
    """Return the game called `name`, importing it if necessary."""
    if name not in _games:
        for entry in _entries():
            if entry.name == name:
                _load(entry)
                break
        else:
            _import_known(name)
    if name in _games:
        return _games[name]
    if name == "cogsguard":
        raise UnknownGame(name, note="It is not installed: pip install cogames[cogsguard]")
    if name in _MODULES:
        raise UnknownGame(name, note=f"It is not installed: install the package that has {_MODULES[name]!r}.")
    raise UnknownGame(name, installed_games())


def _import_known(name: str) -> None:
    """Import the module of a known game, if its package is installed."""
    module = _MODULES.get(name)
    if module is None:
        return
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if module != error.name and not module.startswith(f"{error.name}."):
            raise MissionError(f"The game {name!r} cannot be imported from {module!r}: {error}") from error
    except Exception as error:  # importing runs third-party code, which may fail in any way
        raise MissionError(f"The game {name!r} cannot be imported from {module!r}: {error}") from error


def _entries() -> list[EntryPoint]:
    return list(entry_points(group=ENTRY_POINT_GROUP))


def _load(entry: EntryPoint) -> None:
    try:
        loaded = entry.load()
    except Exception as error:  # importing runs third-party code, which may fail in any way
        raise MissionError(f"The game {entry.name!r} cannot be imported from {entry.value!r}: {error}") from error
    if isinstance(loaded, CoGame):
        register_game(loaded)
