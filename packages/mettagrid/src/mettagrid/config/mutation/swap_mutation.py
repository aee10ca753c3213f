"""Mutation that exchanges two agents."""

from typing import Literal

from mettagrid.base_config import Config


class SwapMutation(Config):
    """Exchanges the cells of actor and target, both agents."""

    mutation_type: Literal["swap"] = "swap"
