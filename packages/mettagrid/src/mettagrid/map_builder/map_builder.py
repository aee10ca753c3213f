"""The framework of map builders.

A builder is a pair of classes: a configuration, which can be saved, and the builder, which makes a map from it.

    class StripesConfig(MapBuilderConfig["Stripes"]):
        width: int = 8

    class Stripes(MapBuilder[StripesConfig]):
        def build(self) -> GameMap: ...

Declaring the builder ties the two: `Stripes.Config` is the configuration class and `StripesConfig().create()` returns
a `Stripes`. A saved configuration names its class under `type` (`"my_module.Stripes.Config"`), so a field that accepts
any builder loads the right one.
"""

import logging
from abc import ABC, abstractmethod
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Protocol,
    Self,
    TypeVar,
    get_args,
    runtime_checkable,
)

from pydantic import Field, SerializeAsAny

from mettagrid.base_config import Config
from mettagrid.typed_config import TypedConfig
from mettagrid.util.module import load_symbol as load_symbol  # part of the published interface of this module

if TYPE_CHECKING:
    import numpy as np

    from mettagrid.map_builder.utils import MapGrid

logger = logging.getLogger(__name__)

ConfigT = TypeVar("ConfigT", bound="MapBuilderConfig[Any]")
TBuilder = TypeVar("TBuilder", bound="MapBuilder[Any]")

_AGENT = "agent"
_EMPTY = "empty"
_MAX_CELLS = (2**31 - 1) // 64  # what a world can hold


class GameMap:
    """A finished map: `grid[row, column]` is the name of the object there (`empty`, `wall`, `agent.red`, ...)."""

    def __init__(self, grid: "MapGrid") -> None:
        self.grid = grid


@runtime_checkable
class HasSeed(Protocol):
    """A configuration whose map depends on a seed."""

    seed: int | None


class WithMaxRetriesConfig(Config):
    """Mix-in for configurations whose random builds may fail: the number of retries."""

    max_retries: int = Field(default=5, ge=0)


if TYPE_CHECKING:

    class _ConfigOf(TypedConfig, Generic[TBuilder]):
        pass

else:

    class _ConfigOf(TypedConfig):
        """`MapBuilderConfig["Stripes"]` names the builder for readers and type checkers; at run time it is plain.

        A generic pydantic model would build one more class for each builder.
        """

        def __class_getitem__(cls, builder: object) -> type:
            return cls


class MapBuilderConfig(_ConfigOf[TBuilder]):
    """Base of map builder configurations."""

    _builder_cls: ClassVar[type | None] = None
    _kind: ClassVar[str] = "map builder"
    _example: ClassVar[str] = "mettagrid.map_builder.random_map.RandomMapBuilder.Config"

    @classmethod
    def builder_cls(cls) -> type[TBuilder]:
        """Return the builder of this configuration; raises `TypeError` if it has none."""
        builder = cls.__dict__.get("_builder_cls")
        if builder is None:
            raise TypeError(
                f"{cls.__name__} is not bound to a MapBuilder; declare a builder with MapBuilder[{cls.__name__}]."
            )
        return builder

    def create(self) -> TBuilder:
        """Create the builder for this configuration."""
        return self.builder_cls()(self)

    @classmethod
    def from_uri(cls, uri: "str | Path") -> Self:
        """Read a configuration from a YAML or JSON file."""
        path = Path(uri.removeprefix("file://")) if isinstance(uri, str) else uri
        return cls.from_str(path.read_text(encoding="utf-8"))

    @classmethod
    def from_str(cls, data: "str | bytes") -> Self:
        """Read a configuration from YAML or JSON text."""
        import yaml  # only files need it

        return cls.model_validate(yaml.safe_load(data))

    @classmethod
    def _type_name(cls) -> str:
        builder = cls.builder_cls()
        return f"{builder.__module__}.{builder.__qualname__}.Config"


MapBuilderConfig._family = MapBuilderConfig

AnyMapBuilderConfig = Annotated[MapBuilderConfig[Any], SerializeAsAny()]
"""Field type for the configuration of any map builder."""


class MapBuilder(ABC, Generic[ConfigT]):
    """Base of map builders: implement `build`."""

    Config: ClassVar[type[Any]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        config = _declared_config(cls)
        if config is None:
            raise TypeError(
                f"{cls.__name__} must inherit from MapBuilder[SomeConfig]: it names no configuration class."
            )
        if config.__dict__.get("_builder_cls") is not None:
            config = _copy_of(config, cls)
        config._builder_cls = cls
        cls.Config = config

    def __init__(self, config: ConfigT) -> None:
        self.config = config

    @abstractmethod
    def build(self) -> GameMap:
        """Build the map."""

    def build_for_num_agents(self, num_agents: int) -> GameMap:
        """Build a map with exactly `num_agents` places for agents.

        Spare places, chosen by `shuffle_spawn_indices`, become empty. Raises `ValueError` if there are too few.
        Configurations with `max_retries` retry that many times after a `ValueError`.
        """
        retries = self.config.max_retries if isinstance(self.config, WithMaxRetriesConfig) else 0
        for attempt in range(1, retries + 2):
            try:
                game_map = self.build()
                self._keep_spawn_points(game_map, num_agents)
            except ValueError as error:
                if attempt > retries:
                    raise
                logger.warning("Building the map failed, attempt %d of %d: %s", attempt, retries + 1, error)
            else:
                return game_map
        raise AssertionError("unreachable: the last attempt returns or raises")

    def shuffle_spawn_indices(self, indices: "np.ndarray") -> None:
        """Shuffle the places for agents in place; the first ones are used."""
        import numpy as np  # configurations do not import numpy

        np.random.default_rng(checked_seed(getattr(self.config, "seed", None))).shuffle(indices)

    def _keep_spawn_points(self, game_map: GameMap, num_agents: int) -> None:
        import numpy as np  # configurations do not import numpy

        places = np.argwhere(np.char.startswith(game_map.grid, _AGENT))
        if len(places) < num_agents:
            raise ValueError(f"Number of agents {num_agents} exceeds available spawn points {len(places)} in map.")
        if len(places) > num_agents:
            self.shuffle_spawn_indices(places)
            for row, column in places[num_agents:]:
                game_map.grid[row, column] = _EMPTY


def checked_seed(seed: int | None) -> int | None:
    """Return the seed of a map; raises `ValueError` for a negative one."""
    if seed is not None and seed < 0:
        raise ValueError(f"The seed of the map is {seed}; it must be 0 or more.")
    return seed


def checked_size(height: int, width: int) -> tuple[int, int]:
    """Return (height, width) of a map; raises `ValueError` if it has no cells or more than a world can hold."""
    if height < 1 or width < 1 or height * width > _MAX_CELLS:
        raise ValueError(f"The map has {height} rows and {width} columns; it needs 1 to {_MAX_CELLS} cells.")
    return height, width


def _declared_config(builder: type[MapBuilder[Any]]) -> Any:
    """Return the configuration class in `MapBuilder[...]` of a builder, or that of its base class."""
    for base in getattr(builder, "__orig_bases__", ()):
        for argument in get_args(base):
            if isinstance(argument, type) and issubclass(argument, MapBuilderConfig):
                return argument
    return getattr(builder, "Config", None)


def _copy_of(config: type[MapBuilderConfig[Any]], builder: type[MapBuilder[Any]]) -> type[MapBuilderConfig[Any]]:
    """Create a copy of the class for a second builder, so that each has its own `type` name."""
    namespace = {"__module__": builder.__module__, "__qualname__": f"{builder.__qualname__}.Config"}
    metaclass: Any = type(config)
    return metaclass(f"{builder.__name__}Config", (config,), {**namespace, "__doc__": config.__doc__})


def __getattr__(name: str) -> Any:
    if name == "MapGrid":
        from mettagrid.map_builder.utils import MapGrid  # needs numpy

        return MapGrid
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
