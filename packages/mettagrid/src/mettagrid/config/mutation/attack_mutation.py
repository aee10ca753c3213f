"""The attack mutation, which the engine accepts and ignores."""

from typing import Literal

from pydantic import Field

from mettagrid.config._rules import AnyMutation
from mettagrid.config.mutation.mutation import Mutation


class AttackMutation(Mutation):
    """Weapons against armour and defence. It has no effect in the engine: write combat as handlers."""

    mutation_type: Literal["attack"] = "attack"
    defense_resources: dict[str, int] = Field(default_factory=dict)
    armor_resources: dict[str, int] = Field(default_factory=dict)
    weapon_resources: dict[str, int] = Field(default_factory=dict)
    vibe_bonus: dict[str, int] = Field(default_factory=dict)
    on_success: list[AnyMutation] = Field(default_factory=list)
