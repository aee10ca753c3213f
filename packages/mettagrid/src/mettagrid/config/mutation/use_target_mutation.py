"""Mutation that uses the target."""

from typing import Literal

from mettagrid.base_config import Config


class UseTargetMutation(Config):
    """Runs the target's `on_use_handler`; fails when that fails."""

    mutation_type: Literal["use_target"] = "use_target"


def useTarget() -> UseTargetMutation:
    """Use the target."""
    return UseTargetMutation()
