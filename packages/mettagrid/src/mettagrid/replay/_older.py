"""Convert documents of earlier versions to version 4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from mettagrid.replay._v4_fields import INTEGER, NATURAL, Series
from mettagrid.replay.errors import UnreadableReplay

_ITEM_PREFIXES = ("inv:", "agent:inv:")
_RENAMED_V1 = {
    "reward": "current_reward",
    "agent:group": "group_id",
    "agent:orientation": "orientation",
    "agent:color": "color",
    "agent:frozen": "frozen",
}
_RENAMED_V2 = {
    "action_parameter": "action_param",
    "recipe_input": "input_resources",
    "recipe_output": "output_resources",
}


def upgraded(document: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the document converted to version 4."""
    for step in _STEPS[version - 1 :]:
        document = step(document)
    return document


def _from_1(document: dict[str, Any]) -> dict[str, Any]:
    """Rename lists, and split an object's location, action and items into separate fields."""
    items = _list(document, "inventory_items")
    same = {key: value for key, value in document.items() if key not in ("grid_objects", "inventory_items")}
    same.pop("object_types", None)
    return {
        **same,
        "version": 2,
        "item_names": items,
        "type_names": _list(document, "object_types"),
        "objects": [_object_from_1(item, items) for item in _objects(document, "grid_objects")],
    }


def _object_from_1(item: dict[str, Any], items: list[Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    held: dict[int, Series] = {}
    for name, raw in item.items():
        prefix = next((prefix for prefix in _ITEM_PREFIXES if name.startswith(prefix)), None)
        if prefix is not None:
            if name[len(prefix) :] in items:
                held[items.index(name[len(prefix) :])] = NATURAL.series(raw, name)
        elif name == "type":
            fields["type_id"] = raw
        elif name == "action":
            fields["action_id"], fields["action_param"] = _split_action(raw)
        elif name not in ("r", "c", "layer"):
            fields[_RENAMED_V1.get(name, name)] = raw
    if "r" in item or "c" in item:
        columns, rows = INTEGER.series(item.get("c", 0), "c"), INTEGER.series(item.get("r", 0), "r")
        fields["location"] = [[index, [x, y]] for index, (x, y) in _together([columns, rows])]
    if held:
        order = sorted(held)
        states = _together([held[number] for number in order])
        fields["inventory"] = [
            [index, [[number, amount] for number, amount in zip(order, amounts, strict=True) if amount]]
            for index, amounts in states
        ]
    return fields


def _split_action(raw: Any) -> tuple[Any, Any]:
    """Split [[step, [action, parameter]], ...] or [action, parameter] into two fields."""
    if isinstance(raw, list) and all(isinstance(entry, list) and len(entry) == 2 for entry in raw):
        entries = [(index, pair) for index, pair in raw if isinstance(pair, list) and len(pair) == 2]
        return [[i, pair[0]] for i, pair in entries], [[i, pair[1]] for i, pair in entries]
    if isinstance(raw, list) and len(raw) == 2:
        return raw[0], raw[1]
    raise UnreadableReplay("The replay has an invalid `action`: it must be [action, parameter]")


def _together(parts: list[Series]) -> list[tuple[int, list[Any]]]:
    """Merge several fields into one whose value is a list."""
    states = [dict(part) for part in parts]
    now: list[Any] = [None] * len(parts)
    joined = []
    for index in sorted({index for part in parts for index, _ in part}):
        now = [state.get(index, value) for state, value in zip(states, now, strict=True)]
        joined.append((index, list(now)))
    return joined


def _from_2(document: dict[str, Any]) -> dict[str, Any]:
    """Convert items from lists of ids to [item, amount], and name the types."""
    types = _list(document, "type_names")
    objects = []
    for item in _objects(document, "objects"):
        fields = {_RENAMED_V2.get(name, name): raw for name, raw in item.items() if name != "type_id"}
        if "type_name" not in fields:
            number = INTEGER.series(item.get("type_id", 0), "type_id")[0][1]
            fields["type_name"] = types[number] if 0 <= number < len(types) else ""
        for name in ("inventory", "input_resources", "output_resources"):
            if name in fields:
                fields[name] = _counted(fields[name])
        objects.append(fields)
    return {**document, "version": 3, "objects": objects}


def _counted(raw: Any) -> Any:
    """Convert [0, 0, 1] to [[0, 2], [1, 1]], alone or in a list of changes; pairs stay unchanged."""
    if not isinstance(raw, list):
        return raw
    if raw and all(type(number) is int for number in raw):
        return [[number, count] for number, count in sorted(Counter(raw).items())]
    changes = all(isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list) for entry in raw)
    return [[index, _counted(value)] for index, value in raw] if raw and changes else raw


def _from_3(document: dict[str, Any]) -> dict[str, Any]:
    """Mark every object as present from the start."""
    objects = [{"alive": True, **item} for item in _objects(_from_2(document), "objects")]
    return {"policy_env_interface": {}, "infos": {}, **document, "version": 4, "objects": objects}


def _list(document: dict[str, Any], key: str) -> list[Any]:
    names = document.get(key, [])
    if not isinstance(names, list):
        raise UnreadableReplay(f"The replay has an invalid `{key}`: it must be a list")
    return names


def _objects(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    objects = _list(document, key)
    if not all(isinstance(item, dict) for item in objects):
        raise UnreadableReplay(f"The replay has invalid `{key}`: they must be a list of objects")
    return objects


_STEPS: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = (_from_1, _from_2, _from_3)
