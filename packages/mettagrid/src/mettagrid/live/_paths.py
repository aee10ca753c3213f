"""Orders that take more than one step: walk to a cell and use the object on it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from mettagrid.live.errors import BadOrder

if TYPE_CHECKING:
    from mettagrid.mettagrid_c import MettaGrid
    from mettagrid.simulator.simulator import Simulation

__all__ = ["Order", "OrderMode", "Orders", "shortest_path"]

OrderMode = Literal["go", "queue", "repeat"]
Cell = tuple[int, int]
"""(column, row)"""

MAX_ORDERS = 64
PATIENCE = 50
"""steps that a blocked cog waits before it drops the order"""

DIRECTIONS: dict[str, Cell] = {
    "move_north": (0, -1),
    "move_south": (0, 1),
    "move_west": (-1, 0),
    "move_east": (1, 0),
    "move_northeast": (1, -1),
    "move_northwest": (-1, -1),
    "move_southeast": (1, 1),
    "move_southwest": (-1, 1),
}


@dataclass
class Order:
    """A cell to go to. With `repeats` the order returns to the end of the queue once done."""

    cell: Cell
    repeats: bool = False


@dataclass
class Orders:
    """The queue of orders of one cog, and its path to the first of them."""

    waiting: deque[Order] = field(default_factory=deque)
    path: list[Cell] = field(default_factory=list)
    _patience: int = PATIENCE

    def __bool__(self) -> bool:
        return bool(self.waiting)

    def give(self, cell: Cell, mode: OrderMode) -> None:
        """Add an order: `go` replaces all others, `queue` appends, `repeat` appends an order that repeats."""
        if mode not in get_args(OrderMode):
            raise BadOrder(f"The mode of an order must be one of {', '.join(get_args(OrderMode))}, not {mode!r}")
        if mode == "go":
            self.clear()
        if len(self.waiting) >= MAX_ORDERS:
            raise BadOrder(f"A cog holds at most {MAX_ORDERS} orders; cancel one of them first")
        self.waiting.append(Order(cell, mode == "repeat"))

    def clear(self) -> None:
        self.waiting.clear()
        self._forget_path()

    def plan(self) -> list[list[int]]:
        """Return the cells in the order in which the cog reaches them: the path to the first goal, then the others."""
        cells = [*self.path, *(order.cell for order in self.waiting)]
        distinct = [cell for number, cell in enumerate(cells) if number == 0 or cell != cells[number - 1]]
        return [list(cell) for cell in distinct]

    def next_action(self, simulation: Simulation, agent: int) -> str | None:
        """Return the next action, or None if no order is left. Raises BadOrder if there is no path."""
        engine = simulation._c_sim
        _, _, row, column, *_ = engine._object(engine._agent_slot(agent))
        here = (column, row)
        moves = {delta: name for name, delta in DIRECTIONS.items() if name in simulation.action_ids}
        for _ in range(len(self.waiting)):
            order = self.waiting[0]
            if here == order.cell:
                self._done()
                continue
            toward = (order.cell[0] - here[0], order.cell[1] - here[1])
            if toward in moves and _is_occupied(engine, order.cell):
                self._done()
                return moves[toward]
            return self._walk(simulation, agent, here, order.cell, moves)
        return "noop" if self.waiting else None

    def _walk(self, simulation: Simulation, agent: int, here: Cell, goal: Cell, moves: dict[Cell, str]) -> str:
        engine = simulation._c_sim
        if self.path and self.path[0] == here:
            self.path.pop(0)
        if self.path:
            delta = (self.path[0][0] - here[0], self.path[0][1] - here[1])
            if delta in moves and not _is_occupied(engine, self.path[0]):
                return moves[delta]
        objects = [engine._object(slot) for slot in engine._slots_within(0, engine.map_height, 0, engine.map_width)]
        size = (engine.map_width, engine.map_height)
        occupied = {(column, row) for _, _, row, column, *_ in objects}
        path = shortest_path(here, goal, occupied, size, list(moves))
        if path is not None:
            self.path, self._patience = path, PATIENCE
            return moves[path[0][0] - here[0], path[0][1] - here[1]] if path else "noop"
        self.path = []
        standing = {(column, row) for _, _, row, column, other, _ in objects if other < 0}
        if shortest_path(here, goal, standing, size, list(moves)) is None:
            self._drop()
            raise BadOrder(f"There is no way to column {goal[0]}, row {goal[1]}")
        self._patience -= 1
        if self._patience <= 0:
            self._drop()
            raise BadOrder(f"Others stand in the way to column {goal[0]}, row {goal[1]}")
        return "noop"

    def _done(self) -> None:
        order = self.waiting.popleft()
        if order.repeats:
            self.waiting.append(order)
        self._forget_path()

    def _drop(self) -> None:
        self.waiting.popleft()
        self._forget_path()

    def _forget_path(self) -> None:
        self.path = []
        self._patience = PATIENCE


def _is_occupied(engine: MettaGrid, cell: Cell) -> bool:
    x, y = cell
    return bool(engine._slots_within(y, y + 1, x, x + 1))


def shortest_path(
    start: Cell, goal: Cell, occupied: set[Cell], size: tuple[int, int], deltas: list[Cell]
) -> list[Cell] | None:
    """Return the cells after `start` up to the goal, or up to a cell next to it if the goal is occupied.

    Returns None if there is no path. The choice among several shortest paths is deterministic.
    """
    width, height = size
    beside = goal in occupied
    came_from: dict[Cell, Cell] = {start: start}
    frontier = deque([start])
    while frontier:
        cell = frontier.popleft()
        if cell == goal or (beside and (goal[0] - cell[0], goal[1] - cell[1]) in deltas):
            path = []
            while cell != start:
                path.append(cell)
                cell = came_from[cell]
            return path[::-1]
        for dx, dy in deltas:
            there = (cell[0] + dx, cell[1] + dy)
            if 0 <= there[0] < width and 0 <= there[1] < height and there not in occupied and there not in came_from:
                came_from[there] = cell
                frontier.append(there)
    return None
