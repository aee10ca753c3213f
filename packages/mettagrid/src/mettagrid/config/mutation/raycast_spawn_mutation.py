"""Mutation that creates objects along straight lines."""

from typing import Literal

from pydantic import Field

from mettagrid.base_config import Config
from mettagrid.config._rules import FilterList, IntOrGameValue
from mettagrid.config.raycast_query import cardinal_rays


class RaycastSpawnMutation(Config):
    """Creates an object in every empty cell of each ray from the target cell, up to a blocker or `max_range`."""

    mutation_type: Literal["raycast_spawn"] = "raycast_spawn"
    object_type: str
    directions: list[str] = Field(default_factory=cardinal_rays)
    max_range: IntOrGameValue = 2
    blocker: FilterList = Field(default_factory=list)
