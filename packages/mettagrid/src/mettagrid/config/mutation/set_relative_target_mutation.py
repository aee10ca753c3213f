"""Mutation that selects another cell as the target."""

from typing import Literal

from pydantic import Field

from mettagrid.base_config import Config
from mettagrid.config.action_config import Direction


class SetRelativeTargetMutation(Config):
    """Makes the cell `distance` steps from the actor the target of the next mutations; fails outside the map."""

    mutation_type: Literal["set_relative_target"] = "set_relative_target"
    direction: Direction
    distance: int = Field(default=1, ge=1)
