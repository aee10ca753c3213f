"""The visible cells of an agent, their order, and what hides them (rules, section 11.3)."""

from fractions import Fraction

import pytest

from mettagrid.compiler.window import touched_cells, window_cells

ODD = range(1, 16, 2)


def in_shape(dr, dc, height, width):
    """The literal transcription of section 11.3."""
    rows, cols = height >> 1, width >> 1
    if rows == cols:
        tips = rows >= 2 and dr**2 + dc**2 == rows**2 + 1 and (abs(dr) == rows or abs(dc) == cols)
        return dr**2 + dc**2 <= rows**2 or tips
    if rows == 0 or cols == 0:
        return True  # only that line
    return dr**2 * cols**2 + dc**2 * rows**2 <= rows**2 * cols**2


def box(height, width):
    rows, cols = height >> 1, width >> 1
    return [(dr, dc) for dr in range(-rows, rows + 1) for dc in range(-cols, cols + 1)]


def offsets(height, width):
    return [(cell.dr, cell.dc) for cell in window_cells(height, width)]


@pytest.mark.parametrize("height", ODD)
@pytest.mark.parametrize("width", ODD)
def test_windows_of_odd_sides_have_the_shape_of_the_rules(height, width):
    assert set(offsets(height, width)) == {cell for cell in box(height, width) if in_shape(*cell, height, width)}


def test_the_default_window_shows_121_cells():
    assert len(window_cells(13, 13)) == 121


@pytest.mark.parametrize("height", range(1, 16))
@pytest.mark.parametrize("width", range(1, 16))
def test_cells_come_by_distance_then_row_then_west_before_east(height, width):
    cells = offsets(height, width)
    assert cells == sorted(cells, key=lambda cell: (abs(cell[0]) + abs(cell[1]), cell[0], cell[1]))
    assert len(set(cells)) == len(cells)
    assert cells[0] == (0, 0)


@pytest.mark.parametrize("side", range(2, 15, 2))
def test_an_even_side_behaves_as_the_next_odd_one_up_to_a_few_far_cells(side):
    even, odd = offsets(side, side), offsets(side + 1, side + 1)
    nearest = sorted(box(side + 1, side + 1), key=lambda cell: (abs(cell[0]) + abs(cell[1]), cell[0], cell[1]))
    assert even == [cell for cell in odd if cell in nearest[: side * side]]


@pytest.mark.parametrize(("height", "width"), [(13, 13), (15, 15), (9, 5), (1, 15), (6, 6)])
def test_a_location_is_the_row_and_column_in_the_window(height, width):
    for cell in window_cells(height, width):
        row, col = cell.dr + (height >> 1), cell.dc + (width >> 1)
        assert cell.location == row * 16 + col
        assert cell.location < 0xF0


@pytest.mark.parametrize("side", ODD)
@pytest.mark.parametrize("radius", range(8))
def test_a_smaller_radius_shows_the_cells_of_both_shapes(side, radius):
    shown = {(cell.dr, cell.dc) for cell in window_cells(side, side) if cell.radius_mask >> radius & 1}
    inner = 2 * min(side >> 1, radius) + 1
    expected = {cell for cell in box(side, side) if in_shape(*cell, side, side) and in_shape(*cell, inner, inner)}
    assert shown == expected


def segment_meets_square(dr, dc, row, col):
    """Whether the segment (0, 0)-(dr, dc) meets the closed unit square around (row, col), by exact clipping."""
    begin, end = Fraction(0), Fraction(1)
    for way, middle in ((dr, row), (dc, col)):
        low, high = Fraction(2 * middle - 1, 2), Fraction(2 * middle + 1, 2)
        if way == 0:
            if not low <= 0 <= high:
                return False
            continue
        first, last = sorted((low / way, high / way))
        begin, end = max(begin, first), min(end, last)
    return begin <= end


@pytest.mark.parametrize("dr", range(-7, 8))
def test_what_hides_a_cell_are_the_squares_its_line_of_sight_touches(dr):
    for dc in range(-7, 8):
        around = [(r, c) for r in range(-8, 9) for c in range(-8, 9) if (r, c) not in ((0, 0), (dr, dc))]
        assert set(touched_cells(dr, dc)) == {cell for cell in around if segment_meets_square(dr, dc, *cell)}, dc


def test_nothing_hides_the_own_cell_and_the_four_beside_it():
    for cell in ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0)):
        assert touched_cells(*cell) == ()


def test_a_corner_that_is_only_grazed_hides():
    assert set(touched_cells(1, 1)) == {(0, 1), (1, 0)}
