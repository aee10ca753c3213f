"""A scene that moves another one, which was drawn on a separate grid, to its area."""

from typing import Any

from pydantic import ConfigDict, Field

from mettagrid.mapgen.scene import Scene, SceneConfig


class TransplantSceneConfig(SceneConfig):
    """`scene` is the drawn scene; it is not saved: this scene exists while a map is generated."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    scene: Any = Field(exclude=True)


class TransplantScene(Scene[TransplantSceneConfig]):
    """Moves a drawn scene to its area and keeps it as its child."""

    def render(self) -> None:
        scene: Scene[Any] = self.config.scene
        if (scene.area.width, scene.area.height) != (self.area.width, self.area.height):
            raise ValueError(
                f"The scene to move has {scene.area.width} x {scene.area.height} cells; "
                f"the area has {self.area.width} x {self.area.height}."
            )
        scene.transplant_to_grid(self.area.outer_grid, self.area.x - scene.area.x, self.area.y - scene.area.y)
        self.children.append(scene)
