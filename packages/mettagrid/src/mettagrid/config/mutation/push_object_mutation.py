"""Mutation that pushes the target."""

from typing import Literal

from mettagrid.base_config import Config


class PushObjectMutation(Config):
    """Moves the target one cell away from the actor; fails outside the map and on a taken cell."""

    mutation_type: Literal["push_object"] = "push_object"
