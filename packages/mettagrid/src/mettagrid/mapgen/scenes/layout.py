"""Areas of given sizes."""

from typing import Literal

from mettagrid.mapgen.scene import Scene, SceneConfig


class LayoutArea(SceneConfig):
    """An area to mark."""

    width: int
    height: int
    placement: Literal["center"] = "center"
    tag: str


class LayoutConfig(SceneConfig):
    """The areas, each in the middle of the scene."""

    areas: list[LayoutArea]


class Layout(Scene[LayoutConfig]):
    """Marks areas; draws nothing."""

    def render(self) -> None:
        for area in self.config.areas:
            if area.width > self.width or area.height > self.height:
                raise ValueError(
                    f"The area {area.tag!r} of {area.width} x {area.height} cells does not fit into "
                    f"{self.width} x {self.height} cells."
                )
            x, y = (self.width - area.width) // 2, (self.height - area.height) // 2
            self.make_area(x, y, area.width, area.height, tags=[area.tag])
