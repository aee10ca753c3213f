"""The framework of scenes.

A scene draws on a rectangle of a map, marks areas in it, and its children, which are scenes too, draw on those. Like a
map builder it is a pair of classes:

    class DotsConfig(SceneConfig):
        count: int = 3

    class Dots(Scene[DotsConfig]):
        def render(self) -> None:
            for _ in range(self.config.count):
                self.grid[self.rng.integers(self.height), self.rng.integers(self.width)] = "wall"

Declaring the scene ties the two: `Dots.Config` is the configuration class, saved with the type `my_module.Dots.Config`.
"""

import time
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_args

import numpy as np
from pydantic import Field, SerializeAsAny

from mettagrid.mapgen.area import Area, AreaQuery, AreaWhere
from mettagrid.mapgen.grid_transform import TRANSFORM_FLAGS, GridTransform
from mettagrid.mapgen.types import MapGrid
from mettagrid.typed_config import TypedConfig

__all__ = [
    "TRANSFORM_FLAGS",
    "AnySceneConfig",
    "Area",
    "AreaQuery",
    "AreaWhere",
    "ChildrenAction",
    "ConfigT",
    "GridTransform",
    "MapGrid",
    "Scene",
    "SceneConfig",
    "SceneT",
]


class SceneConfig(TypedConfig):
    """Base of scene configurations.

    `children` are drawn after the scene; a `seed` other than 0 makes the scene independent of the seed of the map;
    `transform` turns or mirrors the scene with its children.
    """

    _scene_cls: ClassVar["type[Scene[Any]] | None"] = None
    _kind: ClassVar[str] = "scene"
    _example: ClassVar[str] = "mettagrid.mapgen.scenes.random.Random.Config"

    children: list["ChildrenAction"] = Field(default=[])
    seed: int | None = None
    transform: GridTransform = GridTransform.IDENTITY

    @property
    def scene_cls(self) -> "type[Scene[Any]]":
        """Return the scene class of this configuration; raises `TypeError` if it has none."""
        scene = type(self).__dict__.get("_scene_cls")
        if scene is None:
            name = type(self).__name__
            raise TypeError(f"{name} has no scene; declare one with Scene[{name}].")
        return scene

    def create_root(
        self,
        area: Area,
        rng: np.random.Generator | None = None,
        instance_id: int | None = None,
        use_instance_id_for_team_assignment: bool = False,
    ) -> "Scene[Any]":
        """Create the scene for this configuration, without a parent."""
        own_rng = np.random.default_rng(self.seed) if self.seed or rng is None else rng
        return self.scene_cls(
            area,
            own_rng,
            self,
            instance_id=instance_id,
            use_instance_id_for_team_assignment=use_instance_id_for_team_assignment,
        )

    def create_as_child(
        self,
        parent_scene: "Scene[Any]",
        area: Area,
        instance_id: int | None = None,
        use_instance_id_for_team_assignment: bool = False,
    ) -> "Scene[Any]":
        """Create the scene for this configuration, on an area of another scene."""
        rng = np.random.default_rng(self.seed) if self.seed else parent_scene.rng.spawn(1)[0]
        return self.scene_cls(
            area,
            rng,
            self,
            parent_scene=parent_scene,
            instance_id=instance_id,
            use_instance_id_for_team_assignment=use_instance_id_for_team_assignment,
        )

    @classmethod
    def _type_name(cls) -> str | None:
        scene = cls.__dict__.get("_scene_cls")
        return None if scene is None else f"{scene.__module__}.{scene.__qualname__}.Config"


SceneConfig._family = SceneConfig

AnySceneConfig = Annotated[SceneConfig, SerializeAsAny()]
"""Field type for the configuration of any scene."""


class ChildrenAction(AreaQuery):
    """Draw `scene` on each of the chosen areas.

    `instance_id` numbers the copy of the map that a child belongs to; with `use_instance_id_for_team_assignment` the
    agents in it become `agent.team_<instance_id>`.
    """

    scene: AnySceneConfig
    instance_id: int | None = None
    use_instance_id_for_team_assignment: bool | None = None


SceneConfig.model_rebuild()  # scenes in other modules inherit `children` and do not know the name ChildrenAction

ConfigT = TypeVar("ConfigT", bound=SceneConfig)
SceneT = TypeVar("SceneT", bound="Scene[Any]")


class Scene(Generic[ConfigT]):
    """Base of scenes: implement `render`, which draws on `self.grid`.

    `grid`, `width`, `height` and the coordinates of `make_area` are those of the scene before its transform. Drawing
    must use `self.rng` for everything random.
    """

    Config: ClassVar[type[Any]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        config = _declared_config(cls)
        if config is None:
            return  # a base for other scenes
        if config.__dict__.get("_scene_cls") is not None:
            config = _copy_of(config, cls)
        config._scene_cls = cls
        cls.Config = config

    def __init__(
        self,
        area: Area,
        rng: np.random.Generator,
        config: ConfigT,
        parent_scene: "Scene[Any] | None" = None,
        instance_id: int | None = None,
        use_instance_id_for_team_assignment: bool = False,
    ) -> None:
        self.config = config
        self.area = area
        self.rng = rng
        self.parent_scene = parent_scene
        self.instance_id = instance_id
        self.use_instance_id_for_team_assignment = use_instance_id_for_team_assignment
        self.transform: GridTransform
        if parent_scene is not None:
            self.transform = parent_scene.transform.compose(config.transform)
            self.instance_id = parent_scene.instance_id if instance_id is None else instance_id
        else:
            self.transform = config.transform
        self.children: list[Scene[Any]] = []
        self._areas: list[Area] = []
        self._locks: dict[str, set[int]] = {}  # per lock the ids of selected areas
        self._render_start_time = 0.0
        self._render_end_time = 0.0
        self._render_with_children_end_time = 0.0
        self._look_at_area()
        self.post_init()

    def post_init(self) -> None:
        """Finish the construction; for subclasses."""

    @classmethod
    def intrinsic_size(cls, config: ConfigT) -> tuple[int, int] | None:
        """Return the (height, width) that the scene needs, or `None` if it fills any area."""
        return None

    def render(self) -> None:
        """Draw on `self.grid` and mark areas with `make_area`."""
        raise NotImplementedError(f"{type(self).__name__} does not implement `render`.")

    def get_children(self) -> list[ChildrenAction]:
        """Return children that depend on the drawn map; they come before those of the configuration."""
        return []

    def render_with_children(self) -> None:
        """Draw the scene, then its children one after the other."""
        self._render_start_time = time.time()
        self.render()
        self._render_end_time = time.time()
        for action in [*self.get_children(), *self.config.children]:
            for area in self.select_areas(action):
                child = action.scene.create_as_child(
                    self,
                    area,
                    instance_id=action.instance_id,
                    use_instance_id_for_team_assignment=bool(action.use_instance_id_for_team_assignment),
                )
                self.children.append(child)
                child.render_with_children()
        if self.use_instance_id_for_team_assignment and self.instance_id is not None:
            grid = self.grid
            grid[np.char.startswith(grid, "agent")] = f"agent.team_{self.instance_id}"
        self._render_with_children_end_time = time.time()

    def make_area(self, x: int, y: int, width: int, height: int, tags: list[str] | None = None) -> Area:
        """Mark a rectangle for children; raises `ValueError` if it is not inside the scene."""
        if x < 0 or y < 0 or width < 0 or height < 0 or x + width > self.width or y + height > self.height:
            raise ValueError(
                f"{type(self).__name__} marks an area of {width} x {height} cells at column {x}, row {y}, but has only "
                f"{self.width} x {self.height} cells."
            )
        x, y, width, height = self.transform.apply_to_rectangle(self.width, self.height, (x, y, width, height))
        area = self.area.make_subarea(x, y, width, height, tags)
        self._areas.append(area)
        return area

    def select_areas(self, query: AreaQuery) -> list[Area]:
        """Return the areas that a query selects, and add them to its lock."""
        areas = [self.area] if query.where == "full" else list(self._areas)
        if isinstance(query.where, AreaWhere):
            tags = set(query.where.tags)
            areas = [area for area in areas if tags.issubset(area.tags)]
        if query.lock is not None:
            locked = self._locks.setdefault(query.lock, set())
            areas = [area for area in areas if id(area) not in locked]
        if query.limit is not None and query.limit < len(areas):
            areas = self._limited(areas, query, max(0, query.limit))
        if query.lock is not None:
            self._locks[query.lock].update(id(area) for area in areas)
        return areas

    def _limited(self, areas: list[Area], query: AreaQuery, limit: int) -> list[Area]:
        skipped = query.offset or 0
        if query.order_by == "random":
            if query.offset is not None:
                raise ValueError(f"The offset {query.offset} needs order_by 'first' or 'last', not 'random'.")
            return [areas[index] for index in self.rng.choice(len(areas), limit, replace=False)]
        if query.order_by == "first":
            return areas[skipped : skipped + limit]
        end = max(0, len(areas) - skipped)
        return areas[max(0, end - limit) : end]

    def get_scene_tree(self) -> dict[str, Any]:
        """Return configuration, area and times of this scene and, nested, of its children."""
        return {
            "config": self.config.model_dump(),
            "area": self.area.as_dict(),
            "children": [child.get_scene_tree() for child in self.children],
            "render_start_time": self._render_start_time,
            "render_end_time": self._render_end_time,
            "render_with_children_end_time": self._render_with_children_end_time,
        }

    def print_scene_tree(self, indent: int = 0) -> None:
        """Print the configurations of this scene and its children."""
        print(" " * indent + self.config.model_dump_json())
        for child in self.children:
            child.print_scene_tree(indent + 2)

    def transplant_to_grid(self, grid: MapGrid, shift_x: int, shift_y: int, is_root: bool = True) -> None:
        """Move the drawn scene, with all areas and children, to another grid."""
        if is_root:  # the area of a child is one of its parent's
            self.area.transplant_to_grid(grid, shift_x, shift_y, copy_grid=True)
        for area in self._areas:
            area.transplant_to_grid(grid, shift_x, shift_y, copy_grid=False)
        self._look_at_area()
        for child in self.children:
            child.transplant_to_grid(grid, shift_x, shift_y, is_root=False)

    def _look_at_area(self) -> None:
        self.grid = self.transform.inverse().apply(self.area.grid)
        self.height, self.width = self.grid.shape


def _declared_config(scene: type[Scene[Any]]) -> type[SceneConfig] | None:
    """Return the configuration class in `Scene[...]`, or that of the scene it derives from."""
    for base in scene.__dict__.get("__orig_bases__", ()):
        for argument in get_args(base):
            if isinstance(argument, type) and issubclass(argument, SceneConfig):
                return argument
    return getattr(scene, "Config", None)


def _copy_of(config: type[SceneConfig], scene: type[Scene[Any]]) -> type[SceneConfig]:
    """Create a copy of the class for a second scene, so that each has its own `type` name."""
    namespace = {"__module__": scene.__module__, "__qualname__": f"{scene.__qualname__}.Config"}
    metaclass: Any = type(config)
    return metaclass(f"{scene.__name__}Config", (config,), {**namespace, "__doc__": config.__doc__})
