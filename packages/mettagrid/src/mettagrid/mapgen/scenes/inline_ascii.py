"""A drawing inside the configuration."""

from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.utils.ascii_grid import char_grid_to_lines, default_char_to_name, lines_to_grid


class InlineAsciiConfig(SceneConfig):
    """The drawing, where its top left corner goes, and what the characters mean."""

    data: str
    row: int = 0
    column: int = 0
    char_to_name: dict[str, str] = Field(default_factory=default_char_to_name)


class InlineAscii(Scene[InlineAsciiConfig]):
    """Draws lines of text."""

    def post_init(self) -> None:
        lines, _, _ = char_grid_to_lines(self.config.data)
        self.ascii_grid = lines_to_grid(lines, self.config.char_to_name)

    @classmethod
    def intrinsic_size(cls, config: InlineAsciiConfig) -> tuple[int, int]:
        _, width, height = char_grid_to_lines(config.data)
        return height + config.row, width + config.column

    def render(self) -> None:
        row, column = self.config.row, self.config.column
        rows, columns = self.ascii_grid.shape
        if row < 0 or column < 0 or row + rows > self.height or column + columns > self.width:
            raise ValueError(
                f"A drawing of {columns} x {rows} cells at column {column}, row {row} does not fit into "
                f"{self.width} x {self.height} cells."
            )
        self.grid[row : row + rows, column : column + columns] = self.ascii_grid
