"""One compound in each quarter of a map."""

from pydantic import Field

from mettagrid.mapgen.scene import AreaWhere, ChildrenAction, Scene, SceneConfig
from mettagrid.mapgen.scenes.compound import CompoundConfig


class FourCornerCompoundsConfig(SceneConfig):
    """The compound in each quarter (top left, top right, bottom left, bottom right).

    The lists give each compound its own hub, stations and kind of agent; those it does not reach keep the common ones.
    """

    compound: CompoundConfig = Field(default_factory=CompoundConfig)
    num_compounds: int = Field(default=4, ge=1, le=4)
    spawn_count: int = 8
    hub_objects: list[str] | None = None
    stations_per_compound: list[list[str]] | None = None
    spawn_symbols: list[str] | None = None


class FourCornerCompounds(Scene[FourCornerCompoundsConfig]):
    """Marks the quarters as `corner_0` to `corner_3` and builds the compounds."""

    def render(self) -> None:
        half_width, half_height = self.width // 2, self.height // 2
        for corner in range(self.config.num_compounds):
            x, y = (corner % 2) * half_width, (corner // 2) * half_height
            width = self.width - half_width if x else half_width
            height = self.height - half_height if y else half_height
            self.make_area(x, y, width, height, tags=[f"corner_{corner}"])

    def get_children(self) -> list[ChildrenAction]:
        return [
            ChildrenAction(scene=self._compound(corner), where=AreaWhere(tags=[f"corner_{corner}"]))
            for corner in range(self.config.num_compounds)
        ]

    def _compound(self, corner: int) -> CompoundConfig:
        config = self.config
        own: dict[str, object] = {"spawn_count": config.spawn_count}
        lists = {
            "hub_object": config.hub_objects,
            "stations": config.stations_per_compound,
            "spawn_symbol": config.spawn_symbols,
        }
        own.update({field: values[corner] for field, values in lists.items() if values and corner < len(values)})
        return config.compound.model_copy(update=own)
