"""Mutation that moves the actor."""

from typing import Literal

from mettagrid.base_config import Config


class RelocateMutation(Config):
    """Moves the actor to the target cell if it is empty."""

    mutation_type: Literal["relocate"] = "relocate"
