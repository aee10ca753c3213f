"""Fields of objects in the published document: their types, and how constants differ from lists of changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mettagrid.replay.errors import UnreadableReplay

MAX_INDEX = 1 << 20
MAX_INTEGER = (1 << 31) - 1

# [(index, value)], indices ascending from 0, no repeated value
Series = list[tuple[int, Any]]


class FieldType:
    """The type of a field, and which of its lists are values rather than lists of changes."""

    def __init__(
        self, description: str, default: Any, read: Callable[[Any], Any], *, is_value: Callable[[list], bool]
    ) -> None:
        self.description = description
        self.default = default
        self._read = read
        self._is_value = is_value

    def series(self, raw: Any, name: str) -> Series:
        """Return the field over time; raises `UnreadableReplay` if it is invalid."""
        try:
            return self._series(raw)
        except (TypeError, ValueError, LookupError, OverflowError):
            excerpt = repr(raw)[:40]
            raise UnreadableReplay(
                f"The replay has an invalid `{name}`: it must be {self.description}, not {excerpt}"
            ) from None

    def _series(self, raw: Any) -> Series:
        if not isinstance(raw, list) or self._is_value(raw):
            return [(0, self._read(raw))]
        entries = {0: self.default}
        for entry in sorted(raw, key=lambda entry: _integer(entry[0])):
            index, value = entry
            if not 0 <= index <= MAX_INDEX:
                raise ValueError(index)
            entries[index] = self._read(value)
        series: Series = []
        for index, value in entries.items():
            if not series or series[-1][1] != value:
                series.append((index, value))
        return series


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(value)
    return value


def _bounded(value: Any) -> int:
    if not -MAX_INTEGER <= _integer(value) <= MAX_INTEGER:
        raise ValueError(value)
    return int(value)


def _natural(value: Any, maximum: int = MAX_INTEGER) -> int:
    if not 0 <= _integer(value) <= maximum:
        raise ValueError(value)
    return int(value)


def _boolean(value: Any) -> bool:
    if type(value) not in (bool, int, float):  # older files have 0 and 1
        raise TypeError(value)
    return bool(value)


def _number(value: Any) -> float:
    if value is None:  # NaN or infinity, which JSON cannot express
        return float("nan")
    if type(value) not in (int, float):
        raise TypeError(value)
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _table(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(value)
    return value


def _place(value: Any) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) < 2:
        raise TypeError(value)
    return _natural(value[0], 65535), _natural(value[1], 65535)


def _pairs(value: Any) -> dict[int, int]:
    """Return {id: amount}, without amounts of 0, in id order."""
    if not isinstance(value, list):
        raise TypeError(value)
    amounts: dict[int, int] = {}
    for key, amount in value:
        amounts[_natural(key, 65535)] = _natural(amount)
    return {key: amounts[key] for key in sorted(amounts) if amounts[key] != 0}


def _limits(value: Any) -> dict[int, int]:
    limits = {_natural(key, 65535): _natural(limit) for key, limit in value}
    return dict(sorted(limits.items()))


def _ids(value: Any) -> list[int]:
    if not isinstance(value, list):
        raise TypeError(value)
    return sorted({_natural(number, 65535) for number in value})


def _is_place(raw: list) -> bool:
    return bool(raw) and all(type(number) is int for number in raw)


def _is_list_of_values(raw: list) -> bool:
    """Return whether the list is a value, which it is unless every element is [index, list]."""
    return not raw or not all(isinstance(e, list) and len(e) == 2 and isinstance(e[1], list) for e in raw)


def _never(raw: list) -> bool:
    return False


INTEGER = FieldType("a whole number", 0, _bounded, is_value=_never)
NATURAL = FieldType("a whole number of at least 0", 0, _natural, is_value=_never)
BOOLEAN = FieldType("true or false", False, _boolean, is_value=_never)
NUMBER = FieldType("a number", 0.0, _number, is_value=_never)
TEXT = FieldType("a text", "", _text, is_value=_never)
TABLE = FieldType("an object", {}, _table, is_value=_never)
PLACE = FieldType("[column, row]", (0, 0), _place, is_value=_is_place)
PAIRS = FieldType("a list of [item, amount]", {}, _pairs, is_value=_is_list_of_values)
LIMITS = FieldType("a list of [capacity, limit]", {}, _limits, is_value=_is_list_of_values)
IDS = FieldType("a list of numbers", [], _ids, is_value=_is_list_of_values)

FIELDS: dict[str, FieldType] = {
    "id": INTEGER,
    "alive": BOOLEAN,
    "type_name": TEXT,
    "location": PLACE,
    "orientation": INTEGER,
    "inventory": PAIRS,
    "inventory_max": INTEGER,
    "color": INTEGER,
    "tag_ids": IDS,
    "is_agent": BOOLEAN,
    "agent_id": NATURAL,
    "vision_size": INTEGER,
    "action_id": INTEGER,
    "action_param": INTEGER,
    "action_success": BOOLEAN,
    "animation_id": INTEGER,
    "current_reward": NUMBER,
    "total_reward": NUMBER,
    "group_id": INTEGER,
    "vibe_id": INTEGER,
    "vibe": INTEGER,
    "policy_infos": TABLE,
    "monologue_append": TEXT,
    "monologue_reset": BOOLEAN,
    "talk_text": TEXT,
    "talk_remaining_steps": NATURAL,
    "inventory_capacities": LIMITS,
}
"""fields that our documents have; all others are preserved unchanged"""
