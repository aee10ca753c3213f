"""One area of limited size in the middle."""

from pydantic import Field

from mettagrid.mapgen.scene import Scene, SceneConfig

_LEAST = 10  # cells; a smaller area is too small to draw on


class BoundedLayoutConfig(SceneConfig):
    """The largest size and the tag of the area."""

    max_width: int = Field(ge=1)
    max_height: int = Field(ge=1)
    tag: str


class BoundedLayout(Scene[BoundedLayoutConfig]):
    """Marks a centred area of at most the given size, or of 10 cells if that is less; draws nothing."""

    def render(self) -> None:
        width = min(self.width, max(_LEAST, self.config.max_width))
        height = min(self.height, max(_LEAST, self.config.max_height))
        x, y = (self.width - width) // 2, (self.height - height) // 2
        self.make_area(x, y, width, height, tags=[self.config.tag])
