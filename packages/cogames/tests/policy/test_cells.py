"""Sets of cells, compared with plain searches over plain sets."""

from collections import deque
from math import hypot

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogames.policy.cells import DIRECTIONS, Grid, cells_of, lowest

REACH = 8
OFFSETS = st.tuples(st.integers(-6, 6), st.integers(-6, 6))
GRID = Grid(REACH)


def cells(grid: Grid, offsets: set[tuple[int, int]]) -> int:
    return sum(1 << grid.cell(*offset) for offset in offsets)


def offsets(grid: Grid, found: int) -> set[tuple[int, int]]:
    return {grid.offset(cell) for cell in cells_of(found)}


def steps_to(start: tuple[int, int], targets: set[tuple[int, int]], walls: set[tuple[int, int]]) -> int | None:
    """Steps of a shortest way, counted by a plain search."""
    inside = range(1 - REACH, REACH - 1)
    seen, queue = {start}, deque([(start, 0)])
    while queue:
        (row, col), steps = queue.popleft()
        if (row, col) in targets:
            return steps
        for direction in DIRECTIONS:
            there = row + direction.row, col + direction.col
            is_open = there in targets or there not in walls
            if there not in seen and is_open and there[0] in inside and there[1] in inside:
                seen.add(there)
                queue.append((there, steps + 1))
    return None


@given(OFFSETS, st.sets(OFFSETS, max_size=4), st.sets(OFFSETS, max_size=60))
def test_a_route_is_as_short_as_can_be_and_goes_over_free_cells(
    start: tuple[int, int], targets: set[tuple[int, int]], walls: set[tuple[int, int]]
) -> None:
    free = GRID.inside & ~cells(GRID, walls)
    route = GRID.route(GRID.cell(*start), cells(GRID, targets), free)
    expected = steps_to(start, targets, walls)
    assert (None if route is None else len(route)) == expected
    row, col = start
    for number in route or ():
        assert (row, col) == start or (row, col) not in walls
        row, col = row + DIRECTIONS[number].row, col + DIRECTIONS[number].col
    assert route is None or (row, col) in targets


@given(OFFSETS, st.integers(0, 5))
def test_a_disc_has_the_cells_within_its_radius(centre: tuple[int, int], radius: int) -> None:
    inside = range(1 - REACH, REACH - 1)
    expected = {(row, col) for row in inside for col in inside if hypot(row - centre[0], col - centre[1]) <= radius}
    assert offsets(GRID, GRID.disc(GRID.cell(*centre), radius)) == expected


@given(st.sets(OFFSETS))
def test_cells_keep_their_place_in_a_larger_grid(places: set[tuple[int, int]]) -> None:
    larger = Grid(2 * REACH)
    assert offsets(larger, GRID.moved_to(larger, cells(GRID, places))) == places


@given(st.sets(OFFSETS, min_size=1))
def test_cells_are_listed_in_order(places: set[tuple[int, int]]) -> None:
    numbers = list(cells_of(cells(GRID, places)))
    assert numbers == sorted(GRID.cell(*place) for place in places)
    assert lowest(cells(GRID, places)) == numbers[0]


def test_the_quarters_make_up_the_grid_and_do_not_overlap() -> None:
    quarters = [GRID.quarter(number) for number in range(4)]
    assert sum(quarters) == GRID.inside
    assert quarters[0] == GRID.quarter(4)


@pytest.mark.parametrize("number", range(4))
def test_a_step_goes_where_its_action_says(number: int) -> None:
    direction = DIRECTIONS[number]
    assert GRID.offset(GRID.step(GRID.origin, number)) == (direction.row, direction.col)
