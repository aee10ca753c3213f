"""A script that sees everything: it shows that a mission can be won, not how to play it well.

Each agent walks to the next thing on its list by the shortest way and bumps into it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.simulator import Simulation

Object = dict[str, Any]
Cell = tuple[int, int]
Errand = Callable[["View", Object], set[Cell]]
"""The cells an agent may want to bump into next."""

MOVES: dict[str, Cell] = {"move_north": (-1, 0), "move_south": (1, 0), "move_west": (0, -1), "move_east": (0, 1)}


EXTRACTORS = tuple(f"{name}_extractor" for name in ("carbon", "oxygen", "germanium", "silicon"))


class View:
    """The objects at one step but for those of `fixed_types`, which stay and are most of a map; all taken cells."""

    def __init__(self, sim: Simulation, fixed_types: Sequence[str], fixed_cells: set[Cell]) -> None:
        self.objects = list(sim.grid_objects(ignore_types=list(fixed_types)).values())
        self.resources, self.tags = sim.resource_names, sim._c_sim.program.tag_names
        self.occupied = fixed_cells | {(item["r"], item["c"]) for item in self.objects}

    def cells(self, kind: str, mine: Object | None = None, *, with_team: bool = True) -> set[Cell]:
        """Return the cells of objects of a kind; with `mine`, of those that share (or do not share) its team."""
        matching = [item for item in self.objects if item["type_name"] == kind]
        if mine is not None:
            matching = [item for item in matching if bool(self.teams(item) & self.teams(mine)) == with_team]
        return {(item["r"], item["c"]) for item in matching}

    def teams(self, item: Object) -> set[int]:
        return {tag for tag in item["tag_ids"] if self.tags[tag].startswith("team:")}

    def has_tag(self, item: Object, name: str) -> bool:
        return name in (self.tags[tag] for tag in item["tag_ids"])

    def held(self, item: Object, resource: str) -> int:
        return item["inventory"].get(self.resources.index(resource), 0)


def hold_junctions(view: View, agent: Object) -> set[Cell]:
    """Gear, a heart, then a junction that is not ours."""
    if not view.held(agent, "aligner"):
        return view.cells("aligner", agent)
    if not view.held(agent, "heart"):
        return view.cells("hub", agent)
    return view.cells("junction", agent, with_team=False)


def scramble_junctions(view: View, agent: Object) -> set[Cell]:
    if not view.held(agent, "scrambler"):
        return view.cells("scrambler", agent)
    if not view.held(agent, "heart"):
        return view.cells("hub", agent)
    return view.cells("junction", agent, with_team=False)


def mine(view: View, agent: Object) -> set[Cell]:
    if not view.held(agent, "miner"):
        return view.cells("miner", agent)
    return {cell for kind in EXTRACTORS for cell in view.cells(kind)}


def unlock(view: View, agent: Object) -> set[Cell]:
    """Key, switch, door, goal."""
    for part in ("key", "switch", "door"):
        if not view.has_tag(agent, f"state:{part}"):
            return view.cells(part)
    return view.cells("goal")


def reach_goal(view: View, agent: Object) -> set[Cell]:
    return view.cells("goal") | view.cells("memory_goal")


def first_move(occupied: set[Cell], start: Cell, goals: Iterable[Cell]) -> str:
    """Return the first move of a shortest way that ends by bumping into a goal; `noop` when there is none."""
    goals, came_from, queue = set(goals), {start: (start, "noop")}, deque([start])
    while queue:
        cell = queue.popleft()
        for name, (dr, dc) in MOVES.items():
            there = cell[0] + dr, cell[1] + dc
            if there in goals:
                while cell != start:
                    cell, name = came_from[cell]
                return name
            if there not in occupied and there not in came_from:
                came_from[there] = cell, name
                queue.append(there)
    return "noop"


def play(env: MettaGridConfig, errand: Errand, *, steps: int, seed: int = 0) -> float:
    """Return the most that all agents together had earned at any step."""
    sim, best = Simulation(env, seed=seed), 0.0
    fixed_types = ("wall",) if errand is mine else ("wall", *EXTRACTORS)
    fixed = {(item["r"], item["c"]) for item in sim.grid_objects().values() if item["type_name"] in fixed_types}
    while sim.current_step < steps and not sim.is_done() and best <= 0:
        view = View(sim, fixed_types, fixed)
        for item in view.objects:
            if "agent_id" not in item:
                continue
            move = first_move(view.occupied, (item["r"], item["c"]), errand(view, item))
            sim.agent(item["agent_id"]).set_action(move)
        sim.step()
        best = max(best, float(sim.episode_rewards.sum()), float(sim.episode_rewards.max()))
    return best
