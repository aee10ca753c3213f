"""Missions of a game by name.

    env = load("arena", variants=["no_clips"], cogs=4, seed=7)

A name is a mission (`arena`), a mission with variants (`arena.no_clips`, `tutorial.miner`), a member of a set
(`evals.energy_starved`, `cvc_evals.eval_balanced_spread`), a name from older documents (`cogsguard_arena.basic`), or a
file (`.yaml`, `.yml`, `.json`, `.py`). A colon means the same as a dot.
"""

import builtins
from collections.abc import Sequence

from cogames.cog_limits import check_cogs, check_spawn_points, drawn_spawn_points
from cogames.mission_files import is_mission_file, load_mission_file
from cogames.mission_names import MissionNames
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant
from mettagrid.cogame.errors import MissionError, close_names
from mettagrid.cogame.game import get_game
from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["DEFAULT_GAME", "get_mission", "list", "load", "match", "mission_set"]

DEFAULT_GAME = "cogsguard"


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
        env = _make_env(get_mission(name, game=game).with_variants(variants), cogs)
    if seed is not None and hasattr(env.game.map_builder, "seed"):
        env.game.map_builder.seed = seed
    return env


def get_mission(name: str, *, game: str = DEFAULT_GAME) -> CoGameMission:
    """The mission of a name, with the variants that the name asks for."""
    return MissionNames(get_game(game)).find(name)


def list(pattern: str = "", *, game: str = DEFAULT_GAME) -> builtins.list[str]:
    """The names of all missions, or of those that match a pattern with `*`; none is no error."""
    names = MissionNames(get_game(game))
    return names.matching(pattern) if pattern else [mission.name for mission in names.missions.values()]


def match(pattern: str, *, game: str = DEFAULT_GAME) -> builtins.list[str]:
    """The names that a pattern stands for, at least one; without `*` that is the name itself, as it is."""
    if "*" not in pattern:
        return [pattern]
    names = MissionNames(get_game(game))
    found = names.matching(pattern)
    if not found:
        raise names.unknown(pattern)
    return found


def mission_set(name: str, *, game: str = DEFAULT_GAME) -> builtins.list[str]:
    """The names of the missions in a set, such as `cvc_evals` or `tournament`."""
    sets = get_game(game).mission_sets
    if name not in sets:
        raise MissionError(f"Mission set {name!r} not found.{close_names(name, sets)}")
    return [mission.name for mission in sets[name]]


def _make_env(mission: CoGameMission, cogs: int | None) -> MettaGridConfig:
    """Make the environment for so many cogs; by default as many as the mission has, and its map has room for."""
    if cogs is not None:
        check_cogs(mission, cogs)
        env = mission.with_cogs(cogs).make_env()
        check_spawn_points(mission, env, cogs)
        return env
    env = mission.make_env()
    points = drawn_spawn_points(env.game.map_builder)
    return env if points is None or env.game.num_agents <= points else mission.with_cogs(points).make_env()
