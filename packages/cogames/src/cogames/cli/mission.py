"""Compatibility names for missions by name, for code that has a `CoGame`.

`cogames.missions` is shorter: `missions.load("arena", variants=["no_clips"])` returns the environment.

    name, env, mission = resolve_mission(get_game("cogsguard"), "arena", ["no_clips"], cogs=4)

`mission` is None when the argument is a file, which holds an environment and no mission.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from cogames import missions
from cogames.cli.mission_tables import (
    describe_mission,
    print_evals,
    print_mission_dependencies,
    print_missions,
    print_variant_graph,
    print_variants,
)
from cogames.cli.utils import parse_variants
from cogames.missions.files import is_mission_file, load_mission_file, save_mission_file
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant
from mettagrid.cogame.errors import MissionError
from mettagrid.cogame.game import CoGame, get_game
from mettagrid.cogame.variants import VariantRegistry
from mettagrid.config.mettagrid_config import MettaGridConfig

if TYPE_CHECKING:
    import typer

__all__ = [
    "apply_variants",
    "describe_mission",
    "find_mission",
    "get_all_eval_mission_names",
    "get_all_mission_names",
    "get_all_missions",
    "get_all_missions_list",
    "get_mission",
    "get_mission_name_and_config",
    "get_mission_names_and_configs",
    "list_evals",
    "list_missions",
    "list_variants",
    "load_mission_config",
    "load_mission_config_from_python",
    "print_evals",
    "print_mission_dependencies",
    "print_missions",
    "print_variant_graph",
    "print_variants",
    "resolve_mission",
    "resolve_mission_variants",
    "resolve_missions_by_wildcard",
    "save_mission_config",
]

ResolvedMission = tuple[str, MettaGridConfig, CoGameMission | None]

_CONFIG_SUFFIXES = (".yaml", ".yml", ".json")


def get_all_mission_names(game: CoGame) -> list[str]:
    """Return the names of a game's missions."""
    return [mission.name for mission in game.missions]


def get_all_eval_mission_names(game: CoGame) -> list[str]:
    """Return the names of a game's evaluation missions."""
    return [mission.name for mission in game.eval_missions]


def get_all_missions(game_name: str = missions.DEFAULT_GAME) -> list[str]:
    """Return the names of the missions of an installed game."""
    return get_all_mission_names(get_game(game_name))


def get_all_missions_list(game_name: str = missions.DEFAULT_GAME) -> list[CoGameMission]:
    """Return the missions of an installed game."""
    return list(get_game(game_name).missions)


def find_mission(game: CoGame, mission_name: str, *, include_evals: bool = False) -> CoGameMission:
    """Return the mission `NAME` or `NAME.SUB_MISSION` of a game; raise `MissionError` for an unknown name.

    For an installed game every other spelling that `-m` accepts works too.
    """
    offered = [*game.missions, *(game.eval_missions if include_evals else ())]
    by_name = {mission.name: mission for mission in reversed(offered)}
    base, _, sub_mission = mission_name.partition(".")
    if mission_name in by_name:
        return by_name[mission_name]
    mission = by_name.get(base)
    if mission is not None and sub_mission in mission.sub_missions:
        offered_variant = next((variant for variant in game.variants if variant.name == sub_mission), sub_mission)
        return mission.with_variants([offered_variant])
    if include_evals and _is_installed(game):
        try:
            return missions.get_mission(mission_name, game=game.name)
        except MissionError:
            pass
    if mission is not None:
        known = ", ".join(mission.sub_missions) or "none"
        raise MissionError(f"Unknown sub-mission {sub_mission!r} for {base!r}. Available: {known}")
    raise MissionError(f"Unknown mission {mission_name!r}. Available: {', '.join(m.name for m in offered)}")


def resolve_mission_variants(
    game: CoGame, mission: CoGameMission, variants_arg: list[str] | None
) -> list[CoGameMissionVariant]:
    """Return the variants of `game` with the given names; raise `MissionError` for a name the game does not offer."""
    return parse_variants(VariantRegistry(game.variants), variants_arg)


def apply_variants(
    mission: CoGameMission, variants: Sequence[str | CoGameMissionVariant], cogs: int | None
) -> CoGameMission:
    """Return a copy of the mission with more variants and, unless `cogs` is None, another number of cogs."""
    changed = mission.with_variants(variants)
    return changed if cogs is None else changed.with_cogs(cogs)


def resolve_mission(
    game: CoGame, mission_arg: str, variants_arg: list[str] | None = None, cogs: int | None = None
) -> ResolvedMission:
    """Return name, environment and mission for a mission name or the path of a mission file."""
    if is_mission_file(mission_arg):
        path = Path(mission_arg)
        if not path.exists():
            raise MissionError(f"File not found: {mission_arg}")
        return mission_arg, load_mission_file(mission_arg), None
    base_mission = find_mission(game, mission_arg, include_evals=True)
    mission = apply_variants(base_mission, resolve_mission_variants(game, base_mission, variants_arg), cogs)
    return mission.full_name(), mission.make_env(), mission


def get_mission(
    mission_arg: str,
    variants_arg: list[str] | None = None,
    cogs: int | None = None,
    game_name: str = missions.DEFAULT_GAME,
) -> ResolvedMission:
    """Return name, environment and mission of an installed game."""
    return resolve_mission(get_game(game_name), mission_arg, variants_arg, cogs)


def resolve_missions_by_wildcard(
    game: CoGame, mission_arg: str, variants_arg: list[str] | None, cogs: int | None
) -> list[tuple[str, MettaGridConfig]]:
    """Return name and environment of each mission whose name contains the pattern; `*` matches any text."""
    pattern = re.compile(".*".join(map(re.escape, mission_arg.split("*"))))
    names = [*get_all_mission_names(game), *get_all_eval_mission_names(game)]
    return [resolve_mission(game, name, variants_arg, cogs)[:2] for name in names if pattern.search(name)]


def get_mission_name_and_config(
    ctx: typer.Context,
    mission_arg: str | None,
    *,
    game_name: str = missions.DEFAULT_GAME,
    variants_arg: list[str] | None = None,
    cogs: int | None = None,
    steps: int | None = None,
) -> ResolvedMission:
    """Return the mission of a command; print help or the error and exit with code 1 when there is none."""
    from cogames.commands.shared.choices import missing

    if mission_arg is None:
        missing(ctx, "Missing: --mission / -m", game=game_name)
    try:
        name, env, mission = get_mission(mission_arg, variants_arg, cogs, game_name)
    except MissionError as error:
        _refuse(error, "use a known mission name or the path of a mission file")
    _limit(env, steps)
    return name, env, mission


def get_mission_names_and_configs(
    ctx: typer.Context,
    missions_arg: list[str] | None,
    *,
    game_name: str = missions.DEFAULT_GAME,
    variants_arg: list[str] | None = None,
    cogs: int | None = None,
    steps: int | None = None,
) -> list[tuple[str, MettaGridConfig]]:
    """Return the missions of a command, each once; print help or the error and exit with code 1 for none."""
    from cogames.commands.shared.choices import missing

    if not missions_arg:
        missing(ctx, "Supply at least one: --mission / -m", game=game_name)
    chosen: dict[str, MettaGridConfig] = {}
    try:
        game = get_game(game_name)
        for text in missions_arg:
            matches = (
                resolve_missions_by_wildcard(game, text, variants_arg, cogs)
                if "*" in text
                else [resolve_mission(game, text, variants_arg, cogs)[:2]]
            )
            for name, env in matches:
                chosen.setdefault(name, env)
        if not chosen:
            raise MissionError(f"No missions found for {missions_arg}")
    except MissionError as error:
        _refuse(error, "use known mission names, patterns with *, or the paths of mission files")
    for env in chosen.values():
        _limit(env, steps)
    return list(chosen.items())


def load_mission_config(path: Path) -> MettaGridConfig:
    """Load an environment from a .yaml, .yml or .json file."""
    if path.suffix not in _CONFIG_SUFFIXES:
        raise MissionError(f"Unsupported file format: {path.suffix}. Supported: {', '.join(_CONFIG_SUFFIXES)}")
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return load_mission_file(str(path))


def load_mission_config_from_python(path: Path) -> MettaGridConfig:
    """Run a Python file and return the environment from its `get_config()` or `config`."""
    if path.suffix != ".py":
        raise MissionError(f"Unsupported file format: {path.suffix}. Supported: .py")
    return load_mission_file(str(path))


def save_mission_config(config: MettaGridConfig, output_path: Path) -> None:
    """Write an environment to a .yaml, .yml or .json file that `load_mission_config` reads back."""
    if output_path.suffix not in _CONFIG_SUFFIXES:
        raise MissionError(f"Unsupported file format: {output_path.suffix}. Supported: {', '.join(_CONFIG_SUFFIXES)}")
    save_mission_file(config, output_path)


def list_missions(mission_filter: str | None = None, game_name: str = missions.DEFAULT_GAME) -> None:
    """Print the missions of an installed game, or those with the filter in their names."""
    from cogames.cli.base import console

    print_missions(get_game(game_name), console, mission_filter)


def list_variants(game_name: str = missions.DEFAULT_GAME) -> None:
    """Print the variants of an installed game."""
    from cogames.cli.base import console

    print_variants(get_game(game_name), console)


def list_evals(game_name: str = missions.DEFAULT_GAME) -> None:
    """Print the evaluation missions of an installed game."""
    from cogames.cli.base import console

    print_evals(get_game(game_name), console)


def _is_installed(game: CoGame) -> bool:
    """Return whether the installed game of this name is this object, or another one of the same class."""
    try:
        installed = get_game(game.name)
    except MissionError:
        return False
    return installed is game or (type(game) is not CoGame and type(installed) is type(game))


def _limit(env: MettaGridConfig, steps: int | None) -> None:
    if steps is not None:
        env.game.max_steps = steps


def _refuse(error: MissionError, advice: str) -> NoReturn:
    import typer

    from cogames.cli.base import console

    console.print(f"[yellow]{error}[/yellow]")
    console.print(f"hint: {advice}", markup=False)
    raise typer.Exit(1)
