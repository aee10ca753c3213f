"""The base of mutations."""

from mettagrid.base_config import Config, ConfigStrEnum


class EntityTarget(ConfigStrEnum):
    """Which side of a handler a mutation changes."""

    ACTOR = "actor"
    TARGET = "target"


class Mutation(Config):
    """Base of the mutations."""
