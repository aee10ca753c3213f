"""Walk to a target: reuse a route while it is valid, and get past other cogs in the way."""

from __future__ import annotations

import random

from cogames.policy.cells import DIRECTIONS, Grid
from cogames.policy.memory import Memory

__all__ = ["WAIT", "Walker"]

WAIT = "noop"


class Walker:
    """Takes a cog to the nearest of a set of cells, one action at a time.

    Cogs that block each other must not mirror each other's moves forever, so they need different seeds, such as the
    agent id.
    """

    def __init__(self, memory: Memory, seed: int = 0) -> None:
        self.memory = memory
        self._random = random.Random(seed)
        self._grid: Grid = memory.grid
        self._route: dict[int, int] = {}  # cell -> direction to go from there
        self._goal = 0  # the last cell of the route
        self._way = 0  # the cells of the route without the last one
        self._searched = (0, 0)  # the free cells of the last failed search, and the cells it reached

    def toward(self, targets: int) -> str | None:
        """Return the action that brings the cog closer to one of `targets`, or uses the target next to it.

        None if no path is known, or the cog already stands on a target.
        """
        if not targets:
            return None
        memory = self.memory
        if not self._holds(targets) and not self._plan(targets, memory.free):
            return None
        number = self._route[memory.here]
        if memory.cogs >> memory.grid.step(memory.here, number) & 1:
            return self._around(targets, memory.free & ~memory.cogs)
        return self._go(number)

    def step_aside(self) -> str:
        """Return a move to a random free neighbour cell; wait if there is none."""
        memory = self.memory
        free = memory.free & ~memory.cogs
        open_ways = [n for n in range(len(DIRECTIONS)) if free >> memory.grid.step(memory.here, n) & 1]
        return self._go(self._random.choice(open_ways)) if open_ways else self.wait()

    def wait(self) -> str:
        self.memory.heading = None
        return WAIT

    def _holds(self, targets: int) -> bool:
        """Return whether the route is still valid: it contains the cog's cell, ends at a target and is not blocked."""
        memory = self.memory
        if memory.here not in self._route or self._grid is not memory.grid:
            return False
        return bool(targets >> self._goal & 1) and not self._way & (memory.walls | memory.objects)

    def _plan(self, targets: int, free: int) -> bool:
        """Find a new route and return True; return False and keep the old one if there is none."""
        memory, grid = self.memory, self.memory.grid
        cell, way = memory.here, 0
        searched, reached = self._searched
        if searched == free and reached >> cell & 1 and not reached & targets:
            return False
        steps, reached = grid.search(cell, targets, free)
        if steps is None:
            self._searched = free, grid.grow(reached)
        if not steps:
            return False
        self._route = {}
        for number in steps:
            self._route[cell] = number
            cell = grid.step(cell, number)
            way |= 1 << cell
        self._grid, self._goal, self._way = grid, cell, way & ~(1 << cell)
        return True

    def _around(self, targets: int, free: int) -> str:
        """Get past a cog in the next cell: wait for it, walk around it, or step aside."""
        if self._random.random() < 0.5:
            return self.wait()
        if not self._plan(targets, free):
            return self.step_aside()
        return self._go(self._route[self.memory.here])

    def _go(self, number: int) -> str:
        self.memory.heading = number
        return DIRECTIONS[number].action
