"""Game values: numbers the rules read while the game runs.

A value is read for one entity (an agent or another object) or for the whole game. In files a value has no tag: its
keys say what it is (`{"item": "heart"}` is an amount, `{"value": 3}` a constant). Only the maximum and the minimum,
which look like a sum, name themselves with `"$type"`.
"""

import reprlib
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    BaseModel,
    Field,
    GetJsonSchemaHandler,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from mettagrid.base_config import Config, ConfigStrEnum
from mettagrid.config._rules import GAME_VALUES, AnyPart, AnyQuery, UnreadFilter

if TYPE_CHECKING:
    from mettagrid.config.filter import AnyFilter
else:
    from mettagrid.config._rules import AnyGameValue

PUBLISHED_CONTEXT: dict[str, bool] = {"published": True}
"""Serialization context that omits what the published 0.26 reader rejects; see `MettaGridConfig.to_published`."""


class Scope(ConfigStrEnum):
    """Whose number is read."""

    AGENT = "agent"
    GAME = "game"


_SCOPES = {"agent": Scope.AGENT, "game": Scope.GAME}


class GameValue(Config):
    """Base of the game values."""


class InventoryValue(GameValue):
    """How much of `item` the entity holds."""

    item: str
    scope: Scope = Scope.AGENT


class StatValue(GameValue):
    """The stat `name` of the agent or of the game."""

    name: str
    scope: Scope = Scope.AGENT
    delta: bool = False


class ConstValue(GameValue):
    """A constant."""

    value: float


class QueryInventoryValue(GameValue):
    """The sum of `item` over all objects the query finds."""

    query: AnyQuery
    item: str


class QueryCountValue(GameValue):
    """The number of objects the query finds."""

    query: AnyQuery


CountQueryValue = QueryCountValue


class CompositeValue(GameValue):
    """A value composed of other values.

    Its dump adds two things to the fields: a maximum and a minimum, which look like a sum, name themselves
    under `"$type"`, and so does every filter of a query inside (see `UnreadFilter`).
    """

    @model_serializer(mode="wrap")
    def _write_kinds(self, handler: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        dumped = handler(self)
        if isinstance(info.context, dict) and info.context.get("published"):
            return dumped
        _mark_filters(self, dumped)
        return {"$type": type(self).__name__, **dumped} if isinstance(self, _NamedGameValue) else dumped

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        # The serializer has no useful return type; describe the fields, plus the key it adds.
        described = handler(_without_serializer(schema))
        if issubclass(cls, _NamedGameValue):
            inner = handler.resolve_ref_schema(described)
            inner["properties"] = {"$type": {"const": cls.__name__, "type": "string"}, **inner["properties"]}
        return described


def _without_serializer(schema: Any) -> Any:
    """Return a copy of a model's core schema whose JSON schema is that of its fields in both modes."""
    copy = {key: value for key, value in schema.items() if key != "serialization"}
    if isinstance(copy.get("schema"), dict) and copy["type"] != "model-fields":
        copy["schema"] = _without_serializer(copy["schema"])
    return copy


def _mark_filters(model: BaseModel, dumped: Any) -> None:
    """Name the class of every filter in the queries below `model`; composites further down have done so already."""
    if not isinstance(dumped, dict):
        return
    for name in type(model).model_fields:
        value, written = getattr(model, name), dumped.get(name)
        if name in ("filters", "edge_filters", "blocker"):
            for i, item in enumerate(value):
                if isinstance(written, list) and not isinstance(item, UnreadFilter):
                    written[i] = {"$type": type(item).__name__, **written[i]}
        elif isinstance(value, list):
            for item, part in zip(value, written or (), strict=False):
                if isinstance(item, BaseModel) and not isinstance(item, CompositeValue):
                    _mark_filters(item, part)
        elif isinstance(value, BaseModel) and not isinstance(value, CompositeValue):
            _mark_filters(value, written)


class SumGameValue(CompositeValue):
    """The weighted sum of `values`; with `log`, of ln(value + 1) of each."""

    values: list[AnyPart] = Field(min_length=1)
    weights: list[float] | None = None
    log: bool = False

    @model_validator(mode="after")
    def _one_weight_per_value(self) -> "SumGameValue":
        if self.weights is not None and len(self.weights) != len(self.values):
            raise ValueError(
                f"A sum of {len(self.values)} values has {len(self.weights)} weights; give one per value or none."
            )
        return self


class RatioGameValue(CompositeValue):
    """`numerator` / `denominator`, or the numerator alone while the denominator is not positive."""

    numerator: AnyPart
    denominator: AnyPart


class _NamedGameValue(CompositeValue):
    """A value that writes its class under `$type`, because its fields alone would read as a sum."""

    values: list[AnyPart] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _check_kind(cls, data: Any) -> Any:
        if isinstance(data, dict) and "$type" in data:
            if data["$type"] != cls.__name__:
                raise ValueError(
                    f"$type is {reprlib.repr(data['$type'])}; a {cls.__name__} allows only {cls.__name__!r}."
                )
            return {key: value for key, value in data.items() if key != "$type"}
        return data


class MaxGameValue(_NamedGameValue):
    """The largest of `values`."""


class MinGameValue(_NamedGameValue):
    """The smallest of `values`."""


AnyGameValue = Annotated[
    InventoryValue
    | StatValue
    | ConstValue
    | QueryInventoryValue
    | QueryCountValue
    | SumGameValue
    | RatioGameValue
    | MaxGameValue
    | MinGameValue,
    GAME_VALUES,
]


def val(x: float) -> ConstValue:
    """Return the constant `x`."""
    return ConstValue(value=float(x))


def inv(s: str) -> InventoryValue:
    """Return the amount of an item that the agent holds: `inv("heart")` or `inv("agent.heart")`."""
    scope, item = _split_scope(s, allowed={Scope.AGENT})
    return InventoryValue(item=item, scope=scope)


def stat(s: str, delta: bool = False) -> StatValue:
    """Return a stat: `stat("name")` or `stat("agent.name")` of the agent, `stat("game.name")` of the game."""
    scope, name = _split_scope(s, allowed={Scope.AGENT, Scope.GAME})
    return StatValue(name=name, scope=scope, delta=delta)


def num(s: str, filters: "AnyFilter | list[AnyFilter] | None" = None) -> QueryCountValue:
    """Return the number of objects with tag `s` that pass the filters."""
    from mettagrid.config.query import query  # queries and values need each other

    return QueryCountValue(query=query(s, filters))


def num_tagged(s: str) -> QueryCountValue:
    """Return the number of objects with tag `s`."""
    return num(s)


def tag(s: str) -> QueryCountValue:
    """Return the number of objects with tag `s`; the same as `num_tagged`."""
    return num(s)


def weighted_sum(
    weighted_values: list[tuple[float, AnyGameValue]],
    *,
    log: bool = False,
    min: float | None = None,  # the published name
    max: float | None = None,  # the published name
) -> AnyGameValue:
    """Return the sum of weight x value over the pairs, not below `min` and not above `max`."""
    total: AnyGameValue = SumGameValue(
        values=[value for _, value in weighted_values], weights=[weight for weight, _ in weighted_values], log=log
    )
    if min is not None:
        total = MaxGameValue(values=[total, val(min)])
    if max is not None:
        total = MinGameValue(values=[total, val(max)])
    return total


def max_value(values: list[AnyGameValue]) -> MaxGameValue:
    """Return the largest of the values."""
    return MaxGameValue(values=values)


def min_value(values: list[AnyGameValue]) -> MinGameValue:
    """Return the smallest of the values."""
    return MinGameValue(values=values)


def GameValueRatio(num_gv: AnyGameValue, denom_gv: AnyGameValue) -> RatioGameValue:
    """Return `num_gv` / `denom_gv`."""
    return RatioGameValue(numerator=num_gv, denominator=denom_gv)


def _split_scope(text: str, allowed: set[Scope]) -> tuple[Scope, str]:
    """Split `agent.x` and `game.x` into scope and name; any other text, even with dots, is a name of the agent."""
    prefix, dot, name = text.partition(".")
    scope = _SCOPES.get(prefix.lower()) if dot else None
    if scope is None:
        return Scope.AGENT, text
    if scope not in allowed:
        names = ", ".join(repr(item.value) for item in allowed)
        raise ValueError(f"{text!r} has the scope {scope.value!r}; allowed here: {names}.")
    return scope, name
