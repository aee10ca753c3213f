"""Rooms in rows and columns."""

from mettagrid.mapgen.scene import Scene, SceneConfig


class RoomGridConfig(SceneConfig):
    """The number of rooms; `layout` gives each room its own tag instead (`[["left", "right"]]`)."""

    rows: int | None = None
    columns: int | None = None
    layout: list[list[str]] | None = None
    border_width: int = 5
    border_object: str = "wall"


class RoomGrid(Scene[RoomGridConfig]):
    """Divides its area into equal rooms with borders between them.

    Rooms are tagged `room` and `room_<row>_<column>`, or as the layout says.
    """

    def post_init(self) -> None:
        layout = self.config.layout
        if layout is not None:
            self._rows, self._columns = len(layout), len(layout[0]) if layout else 0
            if any(len(row) != self._columns for row in layout):
                raise ValueError("The rows of a RoomGrid layout must have the same number of rooms.")
        else:
            self._rows, self._columns = self.config.rows or 0, self.config.columns or 0
        if self._rows < 1 or self._columns < 1:
            raise ValueError("RoomGrid needs rows and columns, both at least 1, or a layout.")

    def render(self) -> None:
        border = self.config.border_width
        width = (self.width - border * (self._columns - 1)) // self._columns
        height = (self.height - border * (self._rows - 1)) // self._rows
        if width < 1 or height < 1:
            raise ValueError(
                f"{self._rows} x {self._columns} rooms with borders of {border} do not fit into "
                f"{self.height} x {self.width} cells."
            )
        self.grid[:] = self.config.border_object
        for row in range(self._rows):
            for column in range(self._columns):
                x, y = column * (width + border), row * (height + border)
                self.grid[y : y + height, x : x + width] = "empty"
                self.make_area(x, y, width, height, tags=self._tags(row, column))

    def _tags(self, row: int, column: int) -> list[str]:
        if self.config.layout is not None:
            return [self.config.layout[row][column]]
        return ["room", f"room_{row}_{column}"]
