"""Mutation that creates an object."""

from typing import Literal

from mettagrid.base_config import Config


class SpawnObjectMutation(Config):
    """Creates an object of that map name on the target cell; fails when the cell is taken."""

    mutation_type: Literal["spawn_object"] = "spawn_object"
    object_type: str
