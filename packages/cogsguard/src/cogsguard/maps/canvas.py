"""Draw maps with characters: walls, rooms, caves, bases, and objects scattered where cogs can reach them.

Maps use Python's random generator with a fixed seed, so a map is the same on every machine.
"""

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator

LEGEND = {
    "#": "wall",
    ".": "empty",
    "@": "agent.agent",
    "&": "c:hub",
    "+": "junction",
    "C": "carbon_extractor",
    "O": "oxygen_extractor",
    "G": "germanium_extractor",
    "S": "silicon_extractor",
    "a": "c:aligner",
    "r": "c:scrambler",
    "m": "c:miner",
    "t": "c:scout",
    "0": "clips:ship:0",
    "1": "clips:ship:1",
    "2": "clips:ship:2",
    "3": "clips:ship:3",
}
EXTRACTORS = "COGS"
STATIONS = "armt"

Cell = tuple[int, int]  # (row, column)


class Canvas:
    """A map being drawn: all walls at first."""

    def __init__(self, height: int, width: int, seed: int) -> None:
        self.height = height
        self.width = width
        self.random = random.Random(seed)
        self.rows = [["#"] * width for _ in range(height)]

    def text(self) -> str:
        return "\n".join("".join(row) for row in self.rows)

    def put(self, cell: Cell, char: str) -> None:
        self.rows[cell[0]][cell[1]] = char

    def at(self, cell: Cell) -> str:
        return self.rows[cell[0]][cell[1]]

    def centre(self) -> Cell:
        return self.height // 2, self.width // 2

    def is_inside(self, cell: Cell, margin: int = 1) -> bool:
        """Return whether a cell is at least `margin` cells from the edge."""
        return margin <= cell[0] < self.height - margin and margin <= cell[1] < self.width - margin

    # Terrain

    def room(self, top: int, left: int, bottom: int, right: int, char: str = ".") -> None:
        """Fill a rectangle, including the last row and column. The edge of the map stays wall."""
        for row in range(max(1, top), min(self.height - 2, bottom) + 1):
            for column in range(max(1, left), min(self.width - 2, right) + 1):
                self.rows[row][column] = char

    def open_all(self, margin: int = 1) -> None:
        self.room(margin, margin, self.height - 1 - margin, self.width - 1 - margin)

    def caves(self, margin: int, fill: float = 0.42, rounds: int = 4) -> None:
        """Carve caves with a cellular automaton: a cell is rock if most neighbours are."""
        rows, columns = range(margin, self.height - margin), range(margin, self.width - margin)
        for row in rows:
            for column in columns:
                self.rows[row][column] = "#" if self.random.random() < fill else "."
        for _ in range(rounds):
            rock = [[char == "#" for char in row] for row in self.rows]
            for row in rows:
                above, here, below = rock[row - 1], rock[row], rock[row + 1]
                for column in columns:
                    around = sum(line[column - 1] + line[column] + line[column + 1] for line in (above, here, below))
                    self.rows[row][column] = "#" if around >= 5 else "."

    def corridors(self, step: int) -> None:
        """Carve a lattice of corridors one cell wide, every `step` cells."""
        for row in range(1, self.height - 1):
            for column in range(1, self.width - 1):
                on_lattice = row % step == step // 2 or column % step == step // 2
                self.rows[row][column] = "." if on_lattice else "#"

    def pillars(self, step: int) -> None:
        """Draw an open hall with a pillar every `step` cells."""
        self.open_all()
        for row in range(step, self.height - step, step):
            for column in range(step, self.width - step, step):
                self.put((row, column), "#")

    def radial(self, arms: int, width: int) -> None:
        """Carve straight arms from the centre to the edge: 4 along the axes, 8 along the diagonals too."""
        middle_row, middle_column = self.centre()
        length = min(self.height, self.width) // 2 - 2
        steps = [(-1, 0), (0, 1), (1, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, -1)][:arms]
        for down, right in steps:
            for distance in range(length + 1):
                row, column = middle_row + down * distance, middle_column + right * distance
                self.room(row, column, row + width - 1, column + width - 1)

    def wall_line(self, cells: Iterable[Cell], gap: Cell) -> None:
        """Draw a wall with one gap."""
        for cell in cells:
            if cell != gap:
                self.put(cell, "#")

    # Objects

    def base(self, centre: Cell, pads: int, *, stations: bool = True) -> None:
        """Draw a hub with stations below it and spawn points around it, in a cleared square."""
        row, column = centre
        self.room(row - 4, column - 4, row + 5, column + 4)
        self.put(centre, "&")
        if stations:
            for number, char in enumerate(STATIONS):
                self.put((row + 4, column - 3 + 2 * number), char)
        for cell in self._rings(centre):
            if pads == 0:
                return
            if self.at(cell) == ".":
                self.put(cell, "@")
                pads -= 1
        raise ValueError(f"{pads} spawn points do not fit on the map")

    def _rings(self, centre: Cell) -> Iterator[Cell]:
        """Yield the cells in eight directions from a centre, by distance, from 2 on."""
        directions = [(-1, 0), (0, 1), (1, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, -1)]
        for distance in range(2, max(self.height, self.width)):
            for down, right in directions:
                cell = centre[0] + down * distance, centre[1] + right * distance
                if self.is_inside(cell):
                    yield cell

    def reachable(self, start: Cell) -> dict[Cell, int]:
        """Return the number of steps to every cell that a cog can walk to or bump into from a start."""
        steps = {start: 0}
        queue = deque([start])
        while queue:
            cell = queue.popleft()
            if cell != start and self.at(cell) not in ".@":
                continue
            for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1)):
                beside = cell[0] + down, cell[1] + right
                if beside not in steps and self.at(beside) != "#":
                    steps[beside] = steps[cell] + 1
                    queue.append(beside)
        return steps

    def close_unreachable(self, start: Cell) -> None:
        """Fill unreachable cells with walls."""
        steps = self.reachable(start)
        for row in range(self.height):
            for column in range(self.width):
                if self.rows[row][column] == "." and (row, column) not in steps:
                    self.rows[row][column] = "#"

    def scatter(self, chars: str, start: Cell, where: Callable[[Cell, int], bool] = lambda cell, steps: True) -> None:
        """Place objects on reachable free cells with free neighbours, not close to one another."""
        steps = self.reachable(start)
        free = sorted(cell for cell in steps if self.at(cell) == "." and where(cell, steps[cell]))
        self.random.shuffle(free)
        waiting = list(reversed(chars))
        for spacing in (3, 2, 1):
            for cell in free:
                if waiting and self.at(cell) == "." and self._is_clear(cell, spacing):
                    self.put(cell, waiting.pop())
        if waiting:
            raise ValueError(f"no free cell for {''.join(waiting)!r} on the map")

    def _is_clear(self, cell: Cell, spacing: int) -> bool:
        """Return whether no object is within `spacing` and no wall is adjacent, so that no passage gets blocked."""
        row, column = cell
        for other_row in range(row - spacing, row + spacing + 1):
            for other_column in range(column - spacing, column + spacing + 1):
                if not self.is_inside((other_row, other_column), 0):
                    continue
                char = self.rows[other_row][other_column]
                near = abs(other_row - row) <= 1 and abs(other_column - column) <= 1
                if char not in ".#" or (near and char != "."):
                    return False
        return True
