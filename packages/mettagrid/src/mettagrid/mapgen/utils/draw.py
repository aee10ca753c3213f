"""Drawing on grids."""


def bresenham_line(x0: int, y0: int, x1: int, y1: int) -> list[tuple[int, int]]:
    """Return the cells (x, y) of a straight line from one cell to another, both included."""
    width, height = abs(x1 - x0), abs(y1 - y0)
    step_x, step_y = (1 if x1 > x0 else -1), (1 if y1 > y0 else -1)
    x, y, error = x0, y0, width - height
    cells = [(x, y)]
    while (x, y) != (x1, y1):
        doubled = 2 * error
        if doubled > -height:
            error -= height
            x += step_x
        if doubled < width:
            error += width
            y += step_y
        cells.append((x, y))
    return cells
