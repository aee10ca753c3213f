"""A map builder for tests: cells are named directly."""

from mettagrid.map_builder.map_builder import GameMap, MapBuilder, MapBuilderConfig


class ObjectNameMapBuilderConfig(MapBuilderConfig["ObjectNameMapBuilder"]):
    """Rows of cell names."""

    map_data: list[list[str]]


class ObjectNameMapBuilder(MapBuilder[ObjectNameMapBuilderConfig]):
    """Builds exactly the named cells."""

    def build(self) -> GameMap:
        import numpy as np  # configurations do not import numpy

        return GameMap(np.array(self.config.map_data, dtype=str, ndmin=2))
