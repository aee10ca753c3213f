"""Find problems of the map: build errors, unknown names, missing places, unreachable objects."""

import json
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mettagrid.checks.problems import Problem, ProblemKind
from mettagrid.compiler import CompileError, agent_configs
from mettagrid.compiler.errors import close_names
from mettagrid.compiler.program import EMPTY_CELLS
from mettagrid.compiler.teams import AgentCells, group_teams
from mettagrid.config.action_config import CardinalDirections
from mettagrid.config.mettagrid_config import GameConfig, WallConfig
from mettagrid.map_builder.map_builder import HasSeed
from mettagrid.map_builder.utils import MapGrid
from mettagrid.mapgen.utils.components import reachable_from

_PLACE = "game.map_builder"
_MOVING = ("push_object", "relocate", "swap", "raycast_spawn", "spawn_object", "query_place_adjacent", "attack")
"""Mutations that may open or close a path, or bring an object to an agent."""

_Mask = npt.NDArray[np.bool_]


def check_map(game: GameConfig, seed: int) -> tuple[list[Problem], MapGrid | None]:
    """Return the problems of the map, and the map itself if it has places for all agents."""
    builder = game.map_builder
    if isinstance(builder, HasSeed) and builder.seed is None:
        builder = builder.model_copy(update={"seed": seed})
    try:
        grid = builder.create().build().grid
    except Exception as error:  # builders may be third-party code
        reason = f"{error}".rstrip(".") or type(error).__name__
        fix = f"Change {type(builder).__name__} so that it builds."
        return [Problem(ProblemKind.MAP, _PLACE, f"The map cannot be built: {reason}.", fix)], None
    problems = [*_unknown_cells(game, grid), *_missing_spawns(game, grid)]
    if problems:
        return problems, None
    grid = builder.create().build_for_num_agents(game.num_agents).grid
    return [*_stuck_agents(game, grid), *_unreachable(game, grid), *_never_placed(game, grid)], grid


def _unknown_cells(game: GameConfig, grid: MapGrid) -> Iterator[Problem]:
    objects = [item.map_name for item in game.objects.values()]
    try:
        agents = AgentCells(group_teams(agent_configs(game))).names()
    except CompileError:
        return  # reported as a problem of the rules
    known = {*objects, *agents, *EMPTY_CELLS}
    for name in np.unique(grid):
        if str(name) in known:
            continue
        close = close_names(str(name), [*objects, *(agents if str(name).startswith("agent") else [])])
        yield Problem(
            ProblemKind.UNKNOWN_CELL,
            _PLACE,
            f"{_how_many(grid == name)} of the map {'is' if (grid == name).sum() == 1 else 'are'} {str(name)!r}, "
            f"which no object is called{_at(grid == name)}.",
            f"Add it to game.objects, or change the map. {close}",
        )


def _missing_spawns(game: GameConfig, grid: MapGrid) -> Iterator[Problem]:
    places = int(np.char.startswith(grid, "agent").sum())
    listed = len(game.agents)
    if listed and listed != game.num_agents:
        yield Problem(
            ProblemKind.SPAWNS,
            "game.agents",
            f"There are {listed} agents in the list and num_agents is {game.num_agents}.",
            "Make both the same, or leave the list empty to use game.agent for all.",
        )
    if places < game.num_agents:
        yield Problem(
            ProblemKind.SPAWNS,
            _PLACE,
            f"The map has {places} places for {game.num_agents} agents.",
            "Put more agents on the map, or lower game.num_agents.",
        )


def _stuck_agents(game: GameConfig, grid: MapGrid) -> Iterator[Problem]:
    agents = np.char.startswith(grid, "agent")
    usable = np.isin(grid, _usable(game))
    movable = _is_empty(grid) | agents | usable
    stuck = agents & ~_beside(movable, game)
    if stuck.any():
        yield Problem(
            ProblemKind.STUCK_AGENT,
            _PLACE,
            f"{int(stuck.sum())} of {int(agents.sum())} agents can neither move nor use anything{_at(stuck)}.",
            "Open a path next to them.",
            is_warning=_ways_change(game),
        )


def _unreachable(game: GameConfig, grid: MapGrid) -> Iterator[Problem]:
    agents = np.char.startswith(grid, "agent")
    reached = _beside(reachable_from(agents, _is_empty(grid) | agents), game)
    for name in _usable(game):
        there = grid == name
        lost = there & ~reached
        if not lost.any():
            continue
        yield Problem(
            ProblemKind.UNREACHABLE,
            _PLACE,
            f"No agent can reach {int(lost.sum())} of {int(there.sum())} {name!r}{_at(lost)}.",
            "Open a path, for example with the scene MakeConnected.",
            is_warning=_ways_change(game) or not bool((lost == there).all()),
        )


def _never_placed(game: GameConfig, grid: MapGrid) -> Iterator[Problem]:
    rules = _rules_text(game)
    for key, item in game.objects.items():
        is_spawned = any(f'"object_type":{json.dumps(name)}' in rules for name in (key, item.name, item.map_name))
        if is_spawned or isinstance(item, WallConfig) or (grid == item.map_name).any():
            continue
        yield Problem(
            ProblemKind.NEVER_PLACED,
            f"game.objects.{key}",
            f"It is not on the map (seed of this check) and no rule makes one: {item.map_name!r}.",
            "Put it on the map, or remove it.",
            is_warning=True,
        )


def _usable(game: GameConfig) -> list[str]:
    return [item.map_name for item in game.objects.values() if item.on_use_handler is not None]


def _is_empty(grid: MapGrid) -> _Mask:
    return np.isin(grid, list(EMPTY_CELLS))


def _beside(cells: _Mask, game: GameConfig) -> _Mask:
    """Return the cells that are one move away from the given cells, in either direction."""
    diagonal = not set(game.actions.move.allowed_directions) <= set(CardinalDirections)
    padded = np.pad(cells, 1)
    height, width = cells.shape
    steps = [(0, 1), (1, 0), (0, -1), (-1, 0), *([(1, 1), (1, -1), (-1, 1), (-1, -1)] if diagonal else [])]
    neighbours = np.zeros_like(cells)
    for dy, dx in steps:
        neighbours |= padded[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]
    return neighbours


def _ways_change(game: GameConfig) -> bool:
    """Return whether rules may move objects, so that an unreachable object may become reachable."""
    rules = _rules_text(game)
    return bool(game.actions.move.handlers) or any(f'"mutation_type":"{kind}"' in rules for kind in _MOVING)


def _rules_text(game: GameConfig) -> str:
    return game.model_dump_json(exclude={"map_builder", "render", "params"})


def _how_many(cells: _Mask) -> str:
    count = int(cells.sum())
    return "1 cell" if count == 1 else f"{count} cells"


def _at(cells: _Mask) -> str:
    row, column = np.argwhere(cells)[0].tolist()
    return f" (the first at row {row}, column {column})"
