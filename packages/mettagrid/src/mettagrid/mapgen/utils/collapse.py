"""Wave function collapse: fill a grid so that every small square of it occurs in the example.

Every cell starts with all patterns possible for the square whose first corner it is. The algorithm repeatedly decides
one cell at random and removes the patterns that its neighbours can no longer have, until all are decided or one has no
pattern left. Sets of patterns are integers, one bit per pattern.
"""

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from mettagrid.mapgen.utils.pattern import Pattern

Heuristic = Literal["scanline", "mrv", "entropy"]
"""The next cell to decide: the first one, the one with the fewest patterns left, or the one with the least entropy."""

_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))  # (dx, dy)
_NOISE = 1e-6  # breaks ties between cells of equal score
_SETBACKS = 200  # backtracks before an attempt is given up

_Trail = dict[int, int]  # changed cells and their previous patterns


class Collapse:
    """A grid of `height` x `width` cells to be filled with `patterns`, each as likely as its count says."""

    def __init__(
        self, patterns: Sequence[tuple[Pattern, int]], height: int, width: int, heuristic: Heuristic = "entropy"
    ) -> None:
        self._cells = [bool(pattern.data[0, 0]) for pattern, _ in patterns]
        self._weights = [float(count) for _, count in patterns]
        self._height, self._width = height, width
        self._heuristic = heuristic
        self._bytes = (len(patterns) + 7) // 8
        self._fitting = [_byte_tables(fitting) for fitting in _fitting_patterns([pattern for pattern, _ in patterns])]
        self._sums = _sum_tables(self._weights)
        self._neighbours = [tuple(self._neighbours_of(cell)) for cell in range(height * width)]
        everything = (1 << len(patterns)) - 1
        self._start: list[int] | None = [everything] * (height * width)
        if not everything or not self._propagate(self._start, range(height * width), {}):
            self._start = None

    def run(self, rng: np.random.Generator, attempts: int) -> npt.NDArray[np.bool_] | None:
        """Return the filled grid, `True` for wall, or `None` if every attempt got stuck."""
        if self._start is None:
            return None
        for _ in range(attempts):
            wave = self._attempt(list(self._start), rng)
            if wave is not None:
                cells = [self._cells[options.bit_length() - 1] for options in wave]
                return np.array(cells, dtype=bool).reshape(self._height, self._width)
        return None

    def _attempt(self, wave: list[int], rng: np.random.Generator) -> list[int] | None:
        """Decide cell after cell. A decision that fails is undone, up to a limit."""
        order = np.arange(float(len(wave))) if self._heuristic == "scanline" else rng.random(len(wave))
        noise = order * _NOISE
        scores = np.array([self._score(options) for options in wave]) + noise
        decisions: list[tuple[int, int, _Trail]] = []
        setbacks = 0
        while len(wave) and math.isfinite(scores[cell := int(scores.argmin())]):
            choice = self._pick(wave[cell], rng)
            trail: _Trail = {cell: wave[cell]}
            decisions.append((cell, choice, trail))
            wave[cell] = choice
            possible = self._propagate(wave, [cell], trail)
            self._update(scores, wave, trail, noise)
            while not possible:
                if not decisions or setbacks == _SETBACKS:
                    return None
                setbacks += 1
                cell, choice, trail = decisions.pop()
                for place, options in trail.items():
                    wave[place] = options
                self._update(scores, wave, trail, noise)
                # The failed option stays excluded until the previous decision is undone too.
                earlier = decisions[-1][2] if decisions else {}
                earlier.setdefault(cell, wave[cell])
                wave[cell] &= ~choice
                possible = bool(wave[cell]) and self._propagate(wave, [cell], earlier)
                self._update(scores, wave, earlier, noise)
        return wave

    def _update(self, scores: np.ndarray, wave: list[int], cells: Iterable[int], noise: np.ndarray) -> None:
        for cell in cells:
            scores[cell] = self._score(wave[cell]) + noise[cell]

    def _pick(self, options: int, rng: np.random.Generator) -> int:
        """Return one of the options, as a set with one member."""
        choices = list(_members(options))
        point = rng.random() * sum(self._weights[choice] for choice in choices)
        for choice in choices:
            point -= self._weights[choice]
            if point < 0:
                return 1 << choice
        return 1 << choices[-1]

    def _propagate(self, wave: list[int], cells: Iterable[int], trail: _Trail) -> bool:
        """Remove from all cells the patterns that their neighbours exclude; return False if a cell has none left.

        `trail` receives the previous patterns of the changed cells.
        """
        waiting = deque(cells)
        known = set(waiting)
        while waiting:
            cell = waiting.popleft()
            known.discard(cell)
            for direction, other in self._neighbours[cell]:
                left = wave[other] & self._support(direction, wave[cell])
                if left == wave[other]:
                    continue
                if not left:
                    return False
                trail.setdefault(other, wave[other])
                wave[other] = left
                if other not in known:
                    known.add(other)
                    waiting.append(other)
        return True

    def _support(self, direction: int, options: int) -> int:
        """Return the patterns that are possible in that direction of a cell with these options."""
        allowed = 0
        for table, byte in zip(self._fitting[direction], options.to_bytes(self._bytes, "little"), strict=True):
            allowed |= table[byte]
        return allowed

    def _score(self, options: int) -> float:
        """Return the priority of a cell with these options, lowest first; infinite if it is decided."""
        if options.bit_count() == 1:
            return math.inf
        if self._heuristic == "scanline":
            return 0.0
        if self._heuristic == "mrv":
            return float(options.bit_count())
        total = 0.0
        spread = 0.0
        for table, byte in zip(self._sums, options.to_bytes(self._bytes, "little"), strict=True):
            total += table[byte][0]
            spread += table[byte][1]
        return math.log(total) - spread / total  # the entropy

    def _neighbours_of(self, cell: int) -> Iterator[tuple[int, int]]:
        y, x = divmod(cell, self._width)
        for direction, (dx, dy) in enumerate(_STEPS):
            if 0 <= x + dx < self._width and 0 <= y + dy < self._height:
                yield direction, cell + dy * self._width + dx


def _fitting_patterns(patterns: list[Pattern]) -> list[list[int]]:
    """Return, for each direction and pattern, the set of patterns that are possible there."""
    fitting = []
    for dx, dy in _STEPS:
        by_overlap: dict[bytes, int] = {}
        for number, pattern in enumerate(patterns):
            overlap = _overlap(pattern, -dx, -dy)
            by_overlap[overlap] = by_overlap.get(overlap, 0) | 1 << number
        fitting.append([by_overlap.get(_overlap(pattern, dx, dy), 0) for pattern in patterns])
    return fitting


def _byte_tables(fitting: list[int]) -> list[list[int]]:
    """Return, for each byte of a set of patterns and each of its values, all patterns that fit one of its members."""
    tables = []
    for start in range(0, len(fitting), 8):
        table = [0] * 256
        for byte in range(1, 256):
            lowest = byte & -byte
            member = start + lowest.bit_length() - 1
            table[byte] = table[byte ^ lowest] | (fitting[member] if member < len(fitting) else 0)
        tables.append(table)
    return tables


def _sum_tables(weights: list[float]) -> list[list[tuple[float, float]]]:
    """Return, for each byte of a set of patterns and each value, the sums of weight and weight * log(weight)."""
    tables = []
    for start in range(0, len(weights), 8):
        table = [(0.0, 0.0)] * 256
        for byte in range(1, 256):
            lowest = byte & -byte
            member = start + lowest.bit_length() - 1
            weight = weights[member] if member < len(weights) else 1.0
            total, spread = table[byte ^ lowest]
            table[byte] = (total + weight, spread + weight * math.log(weight))
        tables.append(table)
    return tables


def _overlap(pattern: Pattern, dx: int, dy: int) -> bytes:
    """Return the part of a pattern that overlaps with one a step further."""
    size = pattern.size()
    part = pattern.data[max(0, dy) : size + min(0, dy), max(0, dx) : size + min(0, dx)]
    return part.tobytes()


def _members(options: int) -> Iterator[int]:
    while options:
        lowest = options & -options
        yield lowest.bit_length() - 1
        options ^= lowest
