"""Missions of a game by name.

    env = load("arena", variants=["no_clips"], cogs=4, seed=7)

A name is a mission (`arena`), a mission with variants (`arena.no_clips`, `tutorial.miner`), a member of a set
(`evals.energy_starved`, `cvc_evals.eval_balanced_spread`), a name from older documents (`cogsguard_arena.basic`), or a
file (`.yaml`, `.yml`, `.json`, `.py`). A colon means the same as a dot.
"""

import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from cogames.mission_files import is_mission_file, load_mission_file
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, CogsError
from mettagrid.cogame.errors import MissionError, UnknownMission, UnknownVariant, close_names
from mettagrid.cogame.game import CoGame, get_game
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder

__all__ = ["DEFAULT_GAME", "get_mission", "list", "load", "match", "mission_set"]

DEFAULT_GAME = "cogsguard"

_EVALS = "evals"
_OLD_SITES = ("hello_world",)  # in older documents these stand before names of evaluations


def load(
    name: str,
    variants: Sequence[str | CoGameMissionVariant] = (),
    cogs: int | None = None,
    seed: int | None = None,
    *,
    game: str = DEFAULT_GAME,
) -> MettaGridConfig:
    """The environment of a mission. `seed` is that of the map and counts for procedural maps only.

    Raises `MissionError` with one line: `UnknownMission`, `UnknownVariant`, `VariantConflict` or `CogsError`. With a
    file neither `variants` nor `cogs` count.
    """
    if is_mission_file(name):
        env = load_mission_file(name)
    else:
        mission = get_mission(name, game=game).with_variants(variants)
        if cogs is not None:
            mission = mission.with_cogs(cogs)
        env = mission.make_env()
        _check_places(mission, env)
    if seed is not None and hasattr(env.game.map_builder, "seed"):
        env.game.map_builder.seed = seed
    return env


def get_mission(name: str, *, game: str = DEFAULT_GAME) -> CoGameMission:
    """The mission of a name, with the variants that the name asks for."""
    return _Names(get_game(game)).find(name)


def list(pattern: str = "", *, game: str = DEFAULT_GAME) -> builtins.list[str]:
    """The names of all missions, or of those that match a pattern with `*`; none is no error."""
    names = _Names(get_game(game))
    return names.matching(pattern) if pattern else [mission.name for mission in names.missions.values()]


def match(pattern: str, *, game: str = DEFAULT_GAME) -> builtins.list[str]:
    """The names that a pattern stands for, at least one; without `*` that is the name itself, as it is."""
    if "*" not in pattern:
        return [pattern]
    names = _Names(get_game(game))
    found = names.matching(pattern)
    if not found:
        raise UnknownMission(pattern, names.known())
    return found


def mission_set(name: str, *, game: str = DEFAULT_GAME) -> builtins.list[str]:
    """The names of the missions in a set, such as `cvc_evals` or `tournament`."""
    sets = get_game(game).mission_sets
    if name not in sets:
        raise MissionError(f"Mission set {name!r} not found.{close_names(name, sets)}")
    return [mission.name for mission in sets[name]]


class _Names:
    """All names of one game. A game may make most of its missions and variants when they are asked for, so the main
    missions are looked at first."""

    def __init__(self, game: CoGame) -> None:
        self.game = game
        self._core = {mission.name: mission for mission in game.missions}

    @cached_property
    def missions(self) -> dict[str, CoGameMission]:
        return {mission.name: mission for mission in self.game.all_missions()}

    def known(self) -> builtins.list[str]:
        subs = [f"{mission.name}.{sub}" for mission in self.missions.values() for sub in mission.sub_missions]
        evals = [f"{_EVALS}.{mission.name}" for mission in self.game.eval_missions]
        return [*self.missions, *subs, *self.game.aliases, *evals]

    def find(self, name: str) -> CoGameMission:
        text = name.replace(":", ".")
        plain = self._plain(text)
        if plain is not None:
            return plain
        base, dot, variant = text.rpartition(".")
        if not dot or self._base(base) is None:
            raise UnknownMission(name, self.known())
        mission = self.find(base)
        try:
            return mission.with_variants([variant])
        except UnknownVariant:
            options = [*mission.sub_missions, *(variant.name for variant in self.game.variants)]
            raise UnknownMission(name, [f"{base}.{option}" for option in options]) from None

    def _base(self, text: str) -> CoGameMission | None:
        """The mission that a name begins with."""
        while text:
            found = self._plain(text)
            if found is not None:
                return found
            text = text.rpartition(".")[0]
        return None

    def _plain(self, text: str) -> CoGameMission | None:
        """A mission by its name, by its place in a set, or by another name for it."""
        if text in self._core:
            return self._core[text]
        if text in self.missions:
            return self.missions[text]
        prefix, _, rest = text.partition(".")
        members = self._members(prefix)
        if rest in members:
            return self.missions[rest]
        if text in self.game.aliases:
            return self.missions[self.game.aliases[text]]
        return None

    def _members(self, prefix: str) -> set[str]:
        if prefix == _EVALS or prefix in _OLD_SITES:
            return {name for name in self.missions if name not in self._core}
        return {mission.name for mission in self.game.mission_sets.get(prefix, ())}

    def matching(self, pattern: str) -> builtins.list[str]:
        """Names that match: missions, else sub-missions, else members of sets, else other names, else with variants.

        The first kind with a match counts, so that `arena*` does not mean the arena with every variant there is.
        """
        is_match = _matcher(pattern)
        for kind in (self._mission_names, self._sub_names, self._set_names, self._aliases, self._variant_names):
            found = [name for name in dict.fromkeys(kind()) if is_match(name)]
            if found:
                return found
        return []

    def _mission_names(self) -> Iterator[str]:
        for mission in (*self.game.missions, *self.game.eval_missions):
            yield mission.name

    def _sub_names(self) -> Iterator[str]:
        for mission in self.game.missions:
            for sub in mission.sub_missions:
                yield f"{mission.name}.{sub}"

    def _set_names(self) -> Iterator[str]:
        yield from self.missions
        for mission in self.game.eval_missions:
            yield f"{_EVALS}.{mission.name}"
        for name, members in self.game.mission_sets.items():
            for mission in members:
                yield f"{name}.{mission.name}"

    def _aliases(self) -> Iterator[str]:
        yield from self.game.aliases

    def _variant_names(self) -> Iterator[str]:
        for mission in self.game.missions:
            for variant in self.game.variants:
                if variant.compat(mission):
                    yield f"{mission.name}.{variant.name}"


def _matcher(pattern: str) -> Callable[[str], bool]:
    """Searches, not anchored: `*` is anything, the rest is meant as it is. `arena.*` means `arena` too."""
    text = pattern.replace(":", ".")
    expression = re.compile(".*".join(map(re.escape, text.split("*"))))
    itself = text.removesuffix(".*") if text.endswith(".*") else None
    return lambda name: name == itself or expression.search(name) is not None


def _check_places(mission: CoGameMission, env: MettaGridConfig) -> None:
    """Refuse more cogs than a drawn map has places for; procedural maps tell when they are built."""
    builder = env.game.map_builder
    if not isinstance(builder, AsciiMapBuilder.Config):
        return
    chars = {char for char, cell in builder.char_to_map_name.items() if cell.startswith("agent")}
    places = sum(char in chars for row in builder.map_data for char in row)
    if env.game.num_agents > places:
        raise CogsError(
            f"The mission {mission.name!r} was asked for {env.game.num_agents} cogs; its map has {places} places."
        )
