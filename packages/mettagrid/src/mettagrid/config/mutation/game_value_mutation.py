"""Mutation of an amount or a stat."""

from typing import Annotated, Literal

from pydantic import model_validator

from mettagrid.config._rules import ShapeUnion
from mettagrid.config.game_value import ConstValue, InventoryValue, StatValue
from mettagrid.config.mutation.mutation import EntityTarget, Mutation

_WRITABLE = ShapeUnion("writable game value", lambda: (InventoryValue, StatValue))
_READABLE = ShapeUnion("simple game value", lambda: (InventoryValue, StatValue, ConstValue))


class SetGameValueMutation(Mutation):
    """Adds `delta`, or the value of `source`, to an amount or a stat. (Despite its name, it adds.)"""

    mutation_type: Literal["set_game_value"] = "set_game_value"
    value: Annotated[InventoryValue | StatValue, _WRITABLE]
    delta: float = 0
    target: EntityTarget = EntityTarget.ACTOR
    source: Annotated[InventoryValue | StatValue | ConstValue, _READABLE] | None = None

    @model_validator(mode="after")
    def _delta_or_source(self) -> "SetGameValueMutation":
        if self.source is not None and self.delta != 0:
            raise ValueError(f"Both a source and a delta of {self.delta} are given; give one of them.")
        return self
