"""Mutation that empties a limit group."""

from typing import Literal

from mettagrid.config.mutation.mutation import EntityTarget, Mutation


class ClearInventoryMutation(Mutation):
    """Sets every resource of the named limit group to zero."""

    mutation_type: Literal["clear_inventory"] = "clear_inventory"
    target: EntityTarget
    limit_name: str
