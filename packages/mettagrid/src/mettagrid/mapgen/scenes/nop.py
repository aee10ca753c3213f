"""A scene that draws nothing itself."""

from mettagrid.mapgen.scene import Scene, SceneConfig


class NopConfig(SceneConfig):
    """No parameters: only the children draw."""


class Nop(Scene[NopConfig]):
    """Leaves its area as it is."""

    def render(self) -> None:
        pass
