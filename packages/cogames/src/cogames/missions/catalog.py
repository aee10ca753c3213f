"""Load a game's missions by name.

    env = load("arena", variants=["no_clips"], cogs=4, seed=7)

A name is a mission (`arena`), a mission with variants (`arena.no_clips`, `tutorial.miner`), a member of a set
(`evals.energy_starved`, `cvc_evals.eval_balanced_spread`), a name from older documents (`cogsguard_arena.basic`), or a
file (`.yaml`, `.yml`, `.json`, `.py`). A colon means the same as a dot.
"""

import builtins
from collections.abc import Sequence

from cogames.missions.cog_limits import check_cogs, check_spawn_points, drawn_spawn_points
from cogames.missions.files import is_mission_file, load_mission_file
from cogames.missions.names import MissionNames
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
    """Return the environment of a mission. `seed` is the map seed and applies only to procedural maps.

    Raises a one-line `MissionError`: `UnknownMission`, `UnknownVariant`, `VariantConflict` or `CogsError`. `variants`
    and `cogs` do not apply to files.
    """
    if is_mission_file(name):
        env = load_mission_file(name)
    else:
        env = _make_env(get_mission(name, game=game).with_variants(variants), cogs)
    if seed is not None and hasattr(env.game.map_builder, "seed"):
        env.game.map_builder.seed = seed
    return env


def get_mission(name: str, *, game: str = DEFAULT_GAME) -> CoGameMission:
    """Return a mission by name, with the variants in the name."""
    return MissionNames(get_game(game)).find(name)


def list(pattern: str = "", *, game: str = DEFAULT_GAME) -> builtins.list[str]:
    """Return the names of all missions, or of those that match a pattern with `*`; the result may be empty."""
    names = MissionNames(get_game(game))
    return names.matching(pattern) if pattern else [mission.name for mission in names.missions.values()]


def match(pattern: str, *, game: str = DEFAULT_GAME) -> builtins.list[str]:
    """Return the names that match a pattern; raise `UnknownMission` if none does. A name without `*` is unchanged."""
    if "*" not in pattern:
        return [pattern]
    names = MissionNames(get_game(game))
    matches = names.matching(pattern)
    if not matches:
        raise names.unknown(pattern)
    return matches


def mission_set(name: str, *, game: str = DEFAULT_GAME) -> builtins.list[str]:
    """Return the names of the missions in a set, such as `cvc_evals` or `tournament`."""
    sets = get_game(game).mission_sets
    if name not in sets:
        raise MissionError(f"Mission set {name!r} not found.{close_names(name, sets)}")
    return [mission.name for mission in sets[name]]


def _make_env(mission: CoGameMission, cogs: int | None) -> MettaGridConfig:
    """Create the environment for `cogs` cogs; by default the mission's number, limited by the map's spawn points."""
    if cogs is not None:
        check_cogs(mission, cogs)
        env = mission.with_cogs(cogs).make_env()
        check_spawn_points(mission, env, cogs)
        return env
    env = mission.make_env()
    points = drawn_spawn_points(env.game.map_builder)
    return env if points is None or env.game.num_agents <= points else mission.with_cogs(points).make_env()
