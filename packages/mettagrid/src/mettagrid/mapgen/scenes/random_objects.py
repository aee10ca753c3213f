"""Random numbers of objects on random cells."""

from pydantic import Field

from mettagrid.mapgen.random.float import FloatDistribution
from mettagrid.mapgen.scene import ChildrenAction, Scene, SceneConfig
from mettagrid.mapgen.scenes.random import Random


class RandomObjectsConfig(SceneConfig):
    """Per object the part of all cells that it takes, such as `{"wall": ["uniform", 0.1, 0.2]}`."""

    object_ranges: dict[str, FloatDistribution] = Field(default={})


class RandomObjects(Scene[RandomObjectsConfig]):
    """Draws the numbers, then places that many on empty cells."""

    def render(self) -> None:
        pass

    def get_children(self) -> list[ChildrenAction]:
        area = self.width * self.height
        counts = {name: max(0, int(area * part.sample(self.rng))) for name, part in self.config.object_ranges.items()}
        return [ChildrenAction(scene=Random.Config(objects=counts), where="full")]
