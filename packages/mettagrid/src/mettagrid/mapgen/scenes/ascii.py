"""A drawing in a file."""

from pathlib import Path

from mettagrid.mapgen.scene import Scene, SceneConfig
from mettagrid.mapgen.types import MapGrid
from mettagrid.mapgen.utils.ascii_grid import DEFAULT_CHAR_TO_NAME, char_grid_to_lines, lines_to_grid


class AsciiConfig(SceneConfig):
    """The file with the drawing: plain lines, or a map file (YAML with `map_data` and `char_to_map_name`)."""

    uri: str


class Ascii(Scene[AsciiConfig]):
    """Draws the file in the top left corner."""

    def post_init(self) -> None:
        self.ascii_grid = _read(self.config.uri)

    @classmethod
    def intrinsic_size(cls, config: AsciiConfig) -> tuple[int, int]:
        height, width = _read(config.uri).shape
        return height, width

    def render(self) -> None:
        rows, columns = self.ascii_grid.shape
        if rows > self.height or columns > self.width:
            raise ValueError(
                f"The drawing in {self.config.uri} has {columns} x {rows} cells; the area has only "
                f"{self.width} x {self.height}."
            )
        if self.ascii_grid.dtype.itemsize > self.grid.dtype.itemsize:
            longest = max((str(name) for name in self.ascii_grid.flat), key=len)
            room = self.grid.dtype.itemsize // 4
            if len(longest) > room:
                raise ValueError(f"The name {longest!r} in {self.config.uri} is longer than {room} characters.")
        self.grid[:rows, :columns] = self.ascii_grid


def _read(uri: str) -> MapGrid:
    text = Path(uri.removeprefix("file://")).read_text(encoding="utf-8")
    if "map_data:" in text:
        from mettagrid.map_builder.map_builder import MapBuilderConfig  # only map files need it

        return MapBuilderConfig.from_str(text).create().build().grid
    lines, _, _ = char_grid_to_lines(text)
    return lines_to_grid(lines, DEFAULT_CHAR_TO_NAME)
