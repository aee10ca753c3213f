"""Objects in the corners of a map."""

from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig


class MapCornerPlacementsConfig(SceneConfig):
    """Pairs of an object and its corner (0 top left, 1 top right, 2 bottom left, 3 bottom right), `offset` cells in."""

    placements: list[tuple[str, int]] = Field(default=[])
    offset: int = 2


class MapCornerPlacements(Scene[MapCornerPlacementsConfig]):
    """Puts each object in its corner, replacing what is there."""

    def render(self) -> None:
        offset = self.config.offset
        if not self.config.placements:
            return
        if not 0 <= offset < min(self.width, self.height):
            raise ValueError(f"The corner offset {offset} is outside of an area of {self.width} x {self.height} cells.")
        for name, corner in self.config.placements:
            if corner not in range(4):
                raise ValueError(f"The object {name!r} is put in corner {corner}; corners have the numbers 0 to 3.")
            y = offset if corner < 2 else self.height - 1 - offset
            x = offset if corner % 2 == 0 else self.width - 1 - offset
            self.grid[y, x] = name
