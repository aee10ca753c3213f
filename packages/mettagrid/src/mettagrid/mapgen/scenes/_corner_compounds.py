"""Different compounds in the corners of a map."""

from mettagrid.mapgen.scene import AreaWhere, ChildrenAction, Scene, SceneConfig
from mettagrid.mapgen.scenes.compound import CompoundConfig

CORNERS = ("nw", "ne", "sw", "se")


class CornerCompoundsConfig(SceneConfig):
    """Pairs of a corner and the compound in that quarter of the map."""

    compounds: list[tuple[str, CompoundConfig]]


class CornerCompounds(Scene[CornerCompoundsConfig]):
    """Builds each compound in the middle of its quarter."""

    def render(self) -> None:
        half_width, half_height = self.width // 2, self.height // 2
        for place, _ in self.config.compounds:
            x, y = half_width if "e" in place else 0, half_height if "s" in place else 0
            width = self.width - half_width if x else half_width
            height = self.height - half_height if y else half_height
            self.make_area(x, y, width, height, tags=[place])

    def get_children(self) -> list[ChildrenAction]:
        return [ChildrenAction(scene=scene, where=AreaWhere(tags=[place])) for place, scene in self.config.compounds]
