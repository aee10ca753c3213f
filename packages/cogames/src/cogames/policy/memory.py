"""The map that a cog builds: its own position, and everything it has seen since the episode began.

Pass it the bytes of each observation; it answers with sets of cells (see `cells`):

    memory = Memory(Sight(policy_env_info))
    memory.look(row)
    junctions = memory.tagged("type:junction")
    ours = junctions & memory.tagged("team:cogs")
"""

from __future__ import annotations

from functools import cache

from cogames.policy.cells import DIRECTIONS, Grid, cells_of
from cogames.policy.sight import Sight, View
from mettagrid.compiler.window import window_cells

__all__ = ["Memory"]

_FIRST_REACH = 40  # cells to each side; doubled when the cog gets near the edge
_FARTHEST_SHOWN = 255  # maximum value of `lp:*` features


class Memory:
    """A map around the cell where the cog started, with the cog's own position.

    Sets of cells, all in the numbering of `grid`: `known` cells have been in view, `recent` ones since the caller last
    cleared that set; `walls` and `objects` are obstacles as last seen; `cogs` are the other cogs in view now. `here` is
    the number of the cog's own cell, and `view` the last observation.
    """

    def __init__(self, sight: Sight) -> None:
        self.sight = sight
        self.view = View(0, {}, {}, [])
        self.known = self.recent = self.walls = self.objects = self.cogs = 0
        self.heading: int | None = None
        """index into DIRECTIONS of the current move; None if the cog does not move"""
        self.notes: dict[str, int] = {}
        """sets of cells of the caller; they are renumbered when the grid grows"""
        self._tags_at: dict[int, list[int]] = {}
        self._cells_with: dict[int, int] = {}
        self._cog = sight.tag_ids.get("type:agent", -1)
        self._offset = (0, 0)
        self._position_features = tuple(
            sight.feature_ids.get(f"lp:{side}", -1) for side in ("east", "west", "north", "south")
        )
        self._position_is_shown = False  # by the game; unknown at the start, where all offsets are 0
        self._use(_grid(_FIRST_REACH))

    def look(self, row: bytes) -> None:
        """Process the next observation: the bytes of its tokens."""
        sight, grid = self.sight, self.grid
        self.view = view = sight.read(row, self._bits)
        self._find_place()
        if self.grid is not grid:
            self.view = view = sight.read(row, self._bits)
        here = self.here
        shift = here - self._window_centre
        seen = self._visible << shift
        self.known |= seen
        self.recent |= seen
        self.walls = self.walls & ~seen | view.walls << shift
        objects = cogs = 0
        for location, tags in view.tags.items():
            if self._cog in tags:
                cogs |= self._bits[location]
                continue
            objects |= self._bits[location]
            cell = here + self._steps[location]
            if self._tags_at.get(cell) != tags:
                self._put(cell, tags)
        self.cogs = (cogs & ~self._bits[sight.centre]) << shift
        for cell in cells_of(self.objects & seen & ~(objects << shift)):
            self._put(cell, [])

    def tagged(self, name: str) -> int:
        """Return the cells of all remembered objects with a tag."""
        return self._cells_with.get(self.sight.tag_ids.get(name, -1), 0)

    def number(self, name: str) -> int:
        """Return the value of a feature of the cog or the game; see `Sight.number`."""
        return self.sight.number(self.view, name)

    def number_at(self, cell: int, name: str) -> int:
        """Return the value of an inventory feature of an object; 0 if it is out of view."""
        location = self._locations.get(cell - self.here)
        return 0 if location is None else self.sight.inventory_at(self.view, location, name)

    def is_visible(self, cell: int) -> bool:
        """Return whether a cell is in view now."""
        return cell - self.here in self._locations

    @property
    def ahead(self) -> int:
        """Return the cell the cog moves to now; its own cell if it does not move."""
        return self.here if self.heading is None else self.grid.step(self.here, self.heading)

    @property
    def free(self) -> int:
        """Return the cells without known obstacles; unknown cells count as free."""
        return self.grid.inside & ~(self.walls | self.objects)

    @property
    def frontier(self) -> int:
        """Return the unknown cells next to known free ones."""
        return self.grid.grow(self.known & self.free) & ~self.known & self.grid.inside

    def _find_place(self) -> None:
        """Update the cog's position: as the game shows it, otherwise by counting its own steps."""
        row, col = self._counted()
        own = self.view.own
        east, west, north, south = (own.get(feature, 0) for feature in self._position_features)
        if east or west or north or south:
            self._position_is_shown = True
        if self._position_is_shown and max(east, west, north, south) < _FARTHEST_SHOWN:
            row, col = south - north, east - west
        self._offset = row, col
        if self.grid.contains(row, col, margin=max(self.sight.rows, self.sight.cols) + 1):
            self.here = self.grid.cell(row, col)
        else:
            self._enlarge()

    def _counted(self) -> tuple[int, int]:
        row, col = self._offset
        if self.heading is None or not self.number("last_action_move"):
            return row, col
        return row + DIRECTIONS[self.heading].row, col + DIRECTIONS[self.heading].col

    def _put(self, cell: int, tags: list[int]) -> None:
        """Store the tags of the object in a cell; no tags mean an empty cell."""
        bit = 1 << cell
        for tag in self._tags_at.get(cell, ()):
            self._cells_with[tag] &= ~bit
        for tag in tags:
            self._cells_with[tag] = self._cells_with.get(tag, 0) | bit
        self._tags_at[cell] = tags
        self.objects = self.objects | bit if tags else self.objects & ~bit

    def _enlarge(self) -> None:
        """Switch to a grid of twice the size."""
        old, new = self.grid, _grid(2 * self.grid.reach)
        self.known, self.recent, self.walls, self.objects = (
            old.moved_to(new, cells) for cells in (self.known, self.recent, self.walls, self.objects)
        )
        self.notes = {name: old.moved_to(new, cells) for name, cells in self.notes.items()}
        self._cells_with = {tag: old.moved_to(new, cells) for tag, cells in self._cells_with.items()}
        self._tags_at = {new.cell(*old.offset(cell)): tags for cell, tags in self._tags_at.items()}
        self._use(new)

    def _use(self, grid: Grid) -> None:
        """Load the tables of a grid. They place the observer at `_window_centre`; `look` shifts them to its cell."""
        sight = self.sight
        self.grid = grid
        self.here = grid.cell(*self._offset)
        self._window_centre = sight.rows * grid.width + sight.cols
        self._bits, self._steps, self._visible = _window(grid, sight.height, sight.width)
        self._locations = {step: at for at, step in self._steps.items() if self._bits[at] & self._visible}


@cache
def _grid(reach: int) -> Grid:
    return Grid(reach)


@cache
def _window(grid: Grid, height: int, width: int) -> tuple[list[int], dict[int, int], int]:
    """Return the bit of each window location, its offset in cells from the observer, and the set of visible cells."""
    bits = [0] * 256
    steps = {}
    for row in range(height):
        for col in range(width):
            location = row << 4 | col
            bits[location] = 1 << row * grid.width + col
            steps[location] = (row - (height >> 1)) * grid.width + col - (width >> 1)
    return bits, steps, sum(bits[cell.location] for cell in window_cells(height, width))
