"""Ready-made objects."""

from mettagrid.config.mettagrid_config import WallConfig

wall = WallConfig()
