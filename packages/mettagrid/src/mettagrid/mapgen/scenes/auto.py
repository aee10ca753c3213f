"""Maps from a few settings: rooms, their content, and their symmetry."""

from typing import Any

from mettagrid.base_config import Config
from mettagrid.mapgen.random.float import FloatDistribution
from mettagrid.mapgen.random.int import IntDistribution
from mettagrid.mapgen.scene import AreaWhere, ChildrenAction, Scene, SceneConfig
from mettagrid.mapgen.scenes.bsp import BSPLayout
from mettagrid.mapgen.scenes.make_connected import MakeConnected
from mettagrid.mapgen.scenes.mirror import Mirror
from mettagrid.mapgen.scenes.random import Random
from mettagrid.mapgen.scenes.random_objects import RandomObjects
from mettagrid.mapgen.scenes.random_scene import RandomScene, RandomSceneCandidate
from mettagrid.mapgen.scenes.room_grid import RoomGrid
from mettagrid.mapgen.utils.weighted import weighted_choice


class AutoConfigLayout(Config):
    """How likely rooms in rows and columns are, and rooms by binary partition."""

    grid: int
    bsp: int


class AutoConfigGrid(Config):
    """Rows and columns of rooms."""

    rows: IntDistribution
    columns: IntDistribution


class AutoConfigBSP(Config):
    """Number of rooms by binary partition."""

    area_count: IntDistribution


class AutoConfigRoomSymmetry(Config):
    """How likely each symmetry of a room is."""

    none: int
    horizontal: int
    vertical: int
    x4: int


class AutoConfig(SceneConfig):
    """The ingredients. Every room gets one scene of `content` and `room_objects`; the map gets `objects` and agents.

    Objects are given as shares of the cells.
    """

    num_agents: int = 0
    layout: AutoConfigLayout
    grid: AutoConfigGrid
    bsp: AutoConfigBSP
    room_symmetry: AutoConfigRoomSymmetry
    content: list[RandomSceneCandidate]
    objects: dict[str, FloatDistribution]
    room_objects: dict[str, FloatDistribution]


class Auto(Scene[AutoConfig]):
    """Draws rooms, then objects, connects everything and places the agents."""

    def get_children(self) -> list[ChildrenAction]:
        config = self.config
        layers: list[SceneConfig] = [
            AutoLayout.Config(auto_config=config),
            RandomObjects.Config(object_ranges=config.objects),
            MakeConnected.Config(),
            Random.Config(agents=config.num_agents),
        ]
        return [ChildrenAction(scene=layer, where="full") for layer in layers]

    def render(self) -> None: ...


class AutoLayoutConfig(SceneConfig):
    """The ingredients of the whole map."""

    auto_config: AutoConfig


class AutoLayout(Scene[AutoLayoutConfig]):
    """Divides the map into rooms and fills each."""

    def get_children(self) -> list[ChildrenAction]:
        config = self.config.auto_config
        layout = _chosen(self, config.layout, "the layout")
        tag = "room" if layout == "grid" else "zone"
        children = [
            ChildrenAction(scene=scene, where=AreaWhere(tags=[tag]))
            for scene in (
                AutoSymmetry.Config(auto_config=config),
                RandomObjects.Config(object_ranges=config.room_objects),
            )
        ]
        rooms: SceneConfig
        if layout == "grid":
            rooms = RoomGrid.Config(
                rows=config.grid.rows.sample(self.rng),
                columns=config.grid.columns.sample(self.rng),
                border_width=0,
                children=children,
            )
        else:
            rooms = BSPLayout.Config(area_count=config.bsp.area_count.sample(self.rng), children=children)
        return [ChildrenAction(scene=rooms, where="full")]

    def render(self) -> None: ...


class AutoSymmetryConfig(SceneConfig):
    """The ingredients of the whole map."""

    auto_config: AutoConfig


class AutoSymmetry(Scene[AutoSymmetryConfig]):
    """Draws the content of one room, with a random symmetry."""

    def get_children(self) -> list[ChildrenAction]:
        config = self.config.auto_config
        symmetry: Any = _chosen(self, config.room_symmetry, "the room symmetry")
        scene: SceneConfig = RandomScene.Config(candidates=config.content)
        if symmetry != "none":
            scene = Mirror.Config(scene=scene, symmetry=symmetry)
        return [ChildrenAction(scene=scene, where="full")]

    def render(self) -> None: ...


def _chosen(scene: Scene[Any], weights: Config, subject: str) -> str:
    """Return the name of a field, drawn with its value as the weight."""
    names = list(type(weights).model_fields)
    return weighted_choice(scene.rng, names, [getattr(weights, name) for name in names], subject)
