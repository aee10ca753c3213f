"""Compile game values to code that leaves one number on the stack."""

from collections.abc import Iterator, Sequence

from mettagrid.compiler import queries
from mettagrid.compiler.code import ACTOR, Routine
from mettagrid.compiler.context import Context
from mettagrid.compiler.tables import float_bits
from mettagrid.config.game_value import (
    ConstValue,
    GameValue,
    InventoryValue,
    MaxGameValue,
    MinGameValue,
    QueryCountValue,
    QueryInventoryValue,
    RatioGameValue,
    Scope,
    StatValue,
    SumGameValue,
)


def emit_number(c: Context, r: Routine, value: GameValue | float, entity: int) -> None:
    """Emit a value read for `entity`, or a plain number."""
    if isinstance(value, (int, float)):
        r.emit("PushConst", float_bits(value))
        return
    with c.nested(""):
        _emit_value(c, r, value, entity)


def _emit_value(c: Context, r: Routine, value: GameValue, entity: int) -> None:
    match value:
        case InventoryValue():
            game = value.scope == Scope.GAME
            stat = c.game_stats.add(f"{value.item}.amount") if game else -1
            r.emit("PushInventory", entity, c.resource(value.item), stat)
        case StatValue():
            if value.delta:
                c.warn(f"delta of the stat {value.name!r} has no effect; rewards pay differences by themselves")
            if value.scope == Scope.GAME:
                r.emit("PushGameStat", c.game_stats.add(value.name))
            else:
                r.emit("PushAgentStat", entity, c.agent_stats.add(value.name))
        case ConstValue():
            r.emit("PushConst", float_bits(value.value))
        case QueryInventoryValue():
            with c.at("query"):
                queries.call_query(c, r, value.query)
            r.emit("PushSumHeld", c.resource(value.item))
        case QueryCountValue():
            with c.at("query"):
                tag = queries.plain_tag(c, value.query)
                if tag is not None:
                    r.emit("PushTagCount", tag)
                else:
                    queries.call_query(c, r, value.query)
                    r.emit("PushCount")
        case SumGameValue():
            if value.weights is not None and len(value.weights) != len(value.values):
                c.error(f"there are {len(value.values)} values and {len(value.weights)} weights")
            for i, item in _parts(c, value.values):
                with c.at("values", i):
                    emit_number(c, r, item, entity)
                if value.log:
                    r.emit("LogPlusOne")
                if value.weights is not None:
                    r.emit("ScaleBy", float_bits(value.weights[i]))
                if i:
                    r.emit("Add")
        case RatioGameValue():
            with c.at("numerator"):
                emit_number(c, r, value.numerator, entity)
            with c.at("denominator"):
                emit_number(c, r, value.denominator, entity)
            r.emit("Ratio")
        case MaxGameValue() | MinGameValue():
            for i, item in _parts(c, value.values):
                with c.at("values", i):
                    emit_number(c, r, item, entity)
                if i:
                    r.emit("Max" if isinstance(value, MaxGameValue) else "Min")
        case _:
            c.error(f"a {type(value).__name__} is not a game value")


def _parts(c: Context, values: Sequence[GameValue]) -> Iterator[tuple[int, GameValue]]:
    """Yield the numbered parts of a composite; raise an error if there are none."""
    if not values:
        with c.at("values"):
            c.error("at least one value is needed")
    return enumerate(values)


def place_value(c: Context, value: GameValue) -> int:
    """Place a routine that leaves a value of an agent on the stack, to be read while nothing changes."""
    r = Routine()
    c.in_agent_value = True
    emit_number(c, r, value, ACTOR)
    c.in_agent_value = False
    r.emit("Return", 1)
    return c.place(r, "")
