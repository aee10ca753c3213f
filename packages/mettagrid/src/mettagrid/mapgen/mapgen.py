"""The map builder that draws scenes.

    MapGen.Config(width=40, height=40, seed=1, instance=Random.Config(agents=4, objects={"wall": 50})).create().build()

A map is a border around one or several copies of an instance: a scene, or the map of another builder.
"""

import math
from typing import Any

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from mettagrid.map_builder.map_builder import (
    AnyMapBuilderConfig,
    GameMap,
    HasSeed,
    MapBuilder,
    MapBuilderConfig,
    checked_size,
)
from mettagrid.map_builder.utils import draw_border
from mettagrid.mapgen._instance_names import check_templates, longest_name, renamed
from mettagrid.mapgen.area import Area, AreaWhere
from mettagrid.mapgen.scene import AnySceneConfig, ChildrenAction, Scene, SceneConfig
from mettagrid.mapgen.scenes.copy_grid import CopyGrid
from mettagrid.mapgen.scenes.room_grid import RoomGrid
from mettagrid.mapgen.scenes.transplant_scene import TransplantScene
from mettagrid.mapgen.types import MapGrid, map_grid_dtype
from mettagrid.typed_config import load_type

__all__ = ["MapGen", "MapGenConfig"]

_Factory = tuple[SceneConfig, int | None]  # the scene of an instance, and its number


class MapGenConfig(MapBuilderConfig["MapGen"]):
    """The content and the number of instances.

    The size is that of one instance, without borders; it is optional for an instance that knows its own size. With
    `num_agents` there are as many instances as that many agents need. `instance_object_remap` renames objects per
    instance: `{"hub": "{instance_name}:hub"}`.
    """

    border_width: int = Field(default=5, ge=0, description="Walls around the map; 5 hides what is beyond from agents.")
    seed: int | None = Field(default=None, ge=0)
    instance: AnySceneConfig | AnyMapBuilderConfig
    width: int | None = Field(default=None, ge=0)
    height: int | None = Field(default=None, ge=0)
    instances: int | None = Field(default=None, ge=1)
    num_agents: int | None = Field(default=None, ge=0)
    fixed_spawn_order: bool = Field(default=False, description="Keep the first places for agents, not random ones.")
    instance_border_width: int = Field(default=5, ge=0)
    instance_border_object: str = "wall"
    instance_border_clear_radius: int = Field(default=0, ge=0, description="Read, without effect.")
    set_team_by_instance: bool = Field(default=False, description="Name agents agent.team_0, agent.team_1, ...")
    instance_object_remap: dict[str, str] = Field(default_factory=dict)
    instance_names: list[str] | None = None

    @field_validator("instance", mode="before")
    @classmethod
    def _read_instance(cls, value: Any, info: ValidationInfo) -> Any:
        """Check the type first: a union would try both kinds and report the errors of both."""
        if isinstance(value, (SceneConfig, MapBuilderConfig)):
            return value
        if not isinstance(value, dict) or "type" not in value:
            raise PydanticCustomError(
                "mapgen_instance",
                "An instance is a scene or a map builder: a configuration object, or a dictionary with the key 'type'.",
            )
        target = load_type(value["type"], "scene or map builder")
        if not isinstance(target, type) or not issubclass(target, (SceneConfig, MapBuilderConfig)):
            raise PydanticCustomError(
                "mapgen_instance",
                "The type {name} is not a configuration class of a scene or a map builder.",
                {"name": repr(value["type"])},
            )
        fields = {key: part for key, part in value.items() if key != "type"}
        return target.model_validate(fields, context=info.context)

    @model_validator(mode="after")
    def _check_together(self) -> "MapGenConfig":
        if isinstance(self.instance, MapBuilderConfig) and (self.width is not None or self.height is not None):
            raise ValueError("A map builder as the instance has its own size; omit width and height.")
        if self.instance_names is not None and self.instances is not None:
            _check_names(self.instance_names, self.instances)
        check_templates(self.instance_object_remap)
        return self


class MapGen(MapBuilder[MapGenConfig]):
    """Draws the map once; every `build` returns a copy of it."""

    def __init__(self, config: MapGenConfig) -> None:
        super().__init__(config)
        self.rng = np.random.default_rng(config.seed)
        self.grid: MapGrid | None = None
        self.root_scene: Scene[Any] | None = None
        self._dtype = np.dtype(f"<U{max(map_grid_dtype.itemsize // 4, longest_name(config))}")
        self._drawn: list[SceneConfig] = []  # instances that were drawn to find out their size or agents
        self.width, self.height = self._instance_size()
        self.instances = self._instance_count()
        self.instance_rows = math.ceil(math.sqrt(self.instances))
        self.instance_cols = math.ceil(self.instances / self.instance_rows)
        between = config.instance_border_width
        self.inner_width = self.width * self.instance_cols + between * (self.instance_cols - 1)
        self.inner_height = self.height * self.instance_rows + between * (self.instance_rows - 1)

    def build(self) -> GameMap:
        if self.grid is None:
            self.grid = self._draw()
        return GameMap(self.grid.copy())

    def get_scene_tree(self) -> dict[str, Any]:
        """Return the scenes of the map; see `Scene.get_scene_tree`. Draws the map if necessary."""
        self.build()
        assert self.root_scene is not None
        return self.root_scene.get_scene_tree()

    def shuffle_spawn_indices(self, indices: np.ndarray) -> None:
        if not self.config.fixed_spawn_order:
            self.rng.shuffle(indices)

    def _instance_size(self) -> tuple[int, int]:
        """Return (width, height) of one instance. A map builder builds its first map for this."""
        config = self.config
        if isinstance(config.instance, MapBuilderConfig):
            grid = self._built_grid()
            self._drawn.append(CopyGrid.Config(grid=grid))
            return grid.shape[1], grid.shape[0]
        width, height = config.width, config.height
        if width is None or height is None:
            intrinsic = config.instance.scene_cls.intrinsic_size(config.instance)
            if intrinsic is None:
                name = config.instance.scene_cls.__name__
                raise ValueError(f"The scene {name} fills any area; MapGen needs width and height.")
            if config.instance.transform.transpose:
                intrinsic = intrinsic[::-1]
            height = intrinsic[0] if height is None else height
            width = intrinsic[1] if width is None else width
        checked_size(height, width)
        return width, height

    def _instance_count(self) -> int:
        config = self.config
        instances = config.instances or 1
        if config.num_agents is not None:
            each = self._agents_per_instance()
            if each == 0 or config.num_agents % each:
                raise ValueError(f"{config.num_agents} agents cannot be divided among instances with {each} each.")
            count = config.num_agents // each
            if config.instances not in (None, count) or count == 0:
                raise ValueError(
                    f"{config.num_agents} agents need {count} instances of {each} each; {instances} were requested."
                )
            instances = count
        if config.instance_names is not None:
            _check_names(config.instance_names, instances)
        return instances

    def _agents_per_instance(self) -> int:
        if self._drawn:
            grid = self._drawn[0].grid  # type: ignore[attr-defined]
        else:
            assert isinstance(self.config.instance, SceneConfig)
            grid = np.full((self.height, self.width), "empty", dtype=self._dtype)
            scene = self.config.instance.create_root(Area.root_area_from_grid(grid), self.rng)
            scene.render_with_children()
            self._drawn.append(TransplantScene.Config(scene=scene))
        return int(np.char.startswith(grid, "agent").sum())

    def _built_grid(self) -> MapGrid:
        """Return the map of the map builder; without its own seed it gets one derived from this map's."""
        builder = self.config.instance
        assert isinstance(builder, MapBuilderConfig)
        if self.config.seed is not None and isinstance(builder, HasSeed) and builder.seed is None:
            builder = builder.model_copy(update={"seed": int(self.rng.integers(2**31))})
        return builder.create().build().grid

    def _draw(self) -> MapGrid:
        border = self.config.border_width
        shape = checked_size(self.inner_height + 2 * border, self.inner_width + 2 * border)
        grid = np.full(shape, "empty", dtype=self._dtype)
        draw_border(grid, border, "wall")
        area = Area.root_area_from_grid(grid).make_subarea(border, border, self.inner_width, self.inner_height)
        if self.instances == 1:
            self.root_scene = self._instance_scene(0).create_root(area, self.rng, 0, self.config.set_team_by_instance)
            instance_areas = [area]
        else:
            self.root_scene = self._room_grid().create_root(area, self.rng)
            instance_areas = []
        self.root_scene.render_with_children()
        for number, part in enumerate(instance_areas or [child.area for child in self.root_scene.children]):
            renamed(part.grid, self.config.instance_object_remap, number, self._name_of(number))
        return grid

    def _instance_scene(self, number: int) -> SceneConfig:
        if number < len(self._drawn):
            return self._drawn[number]
        if isinstance(self.config.instance, SceneConfig):
            return self.config.instance
        grid = self._built_grid()
        if grid.shape != (self.height, self.width):
            raise ValueError(
                f"The map builder built a map of {self.width} x {self.height} cells and one of "
                f"{grid.shape[1]} x {grid.shape[0]}; all instances must have the same size."
            )
        return CopyGrid.Config(grid=grid)

    def _room_grid(self) -> SceneConfig:
        children = [
            ChildrenAction(
                scene=self._instance_scene(number),
                where=AreaWhere(tags=["room"]),
                limit=1,
                order_by="first",
                lock="instances",
                instance_id=number,
                use_instance_id_for_team_assignment=self.config.set_team_by_instance,
            )
            for number in range(self.instances)
        ]
        return RoomGrid.Config(
            rows=self.instance_rows,
            columns=self.instance_cols,
            border_width=self.config.instance_border_width,
            border_object=self.config.instance_border_object,
            children=children,
        )

    def _name_of(self, number: int) -> str:
        return str(number) if self.config.instance_names is None else self.config.instance_names[number]


def _check_names(names: list[str], instances: int) -> None:
    if len(names) != instances:
        raise ValueError(f"There are {len(names)} instance_names for {instances} instances; each needs one.")
