"""Read the published document, of any version, as a replay.

Content of the document that a replay has no field for is stored in `Replay.extra` and written back: after reading, the
document is written once more, and everything that differs in meaning goes there.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from mettagrid.replay._model import Kind, Limit, Note, Objects, Replay, check_size
from mettagrid.replay._older import upgraded
from mettagrid.replay._rows import Field, Rows, float_bits
from mettagrid.replay._v4_fields import FIELDS, MAX_INDEX, Series
from mettagrid.replay._v4_objects import ObjectWriter
from mettagrid.replay._v4_write import VERSION, dumps, v4_document
from mettagrid.replay.errors import UnknownReplayVersion, UnreadableReplay

MAX_AGENT_STEPS = 1 << 22  # the document has a number for each, so a longer one would be too large
FIRST_TICK = 1  # a document starts with the state after the first step

_NUMBERS = {
    "vibe_id": Field.VIBE,
    "action_id": Field.ACTION,
    "action_success": Field.SUCCESS,
    "animation_id": Field.ANIMATION,
}
_TABLES = {"inventory": Field.AMOUNT, "inventory_capacities": Field.LIMIT}

Row = tuple[int, int, int, int, int]


def read_document(document: dict[str, Any]) -> Replay:
    """Read a document of version 1 to 4."""
    version = document.get("version", 1 if "grid_objects" in document else None)
    if type(version) is not int:
        raise UnreadableReplay("This is not a replay: `version` is missing or not a whole number")
    if not 1 <= version <= VERSION:
        raise UnknownReplayVersion(version, newest=VERSION)
    document = upgraded(document, version)
    replay = _Reader(document).replay()
    replay.extra = _left_over(document, replay)
    return replay


class _Reader:
    """Reads one document; every method reads a part of it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        objects = document.get("objects", [])
        if not isinstance(objects, list) or not all(isinstance(item, dict) for item in objects):
            raise UnreadableReplay("The replay has invalid `objects`: they must be a list of objects")
        self._objects: list[dict[str, Any]] = objects
        self._rows: list[Row] = []
        self._notes: list[Note] = []
        self._last = 0

    def replay(self) -> Replay:
        capacities = [Limit(number, name) for number, name in enumerate(self._texts("capacity_names"))]
        type_names = self._texts("type_names")
        ids, agents, kinds = [], [], []
        for number, item in enumerate(self._objects):
            ids.append(self._first(item, "id"))
            is_agent = self._first(item, "is_agent") or "agent_id" in item
            agents.append(self._first(item, "agent_id") if is_agent else -1)
            limits = self._read_object(number, item)
            kinds.append(self._kind(item, is_agent, limits, capacities))
            if is_agent:
                self._read_agent(number, agents[-1], item)
        known = list(dict.fromkeys(kinds))
        positions = {kind: position for position, kind in enumerate(known)}
        num_agents = self._integer("num_agents", max([0, *(agent + 1 for agent in agents)]), maximum=65535)
        if agents and max(agents) >= num_agents:
            raise UnreadableReplay(f"The replay is damaged: it has {num_agents} agents and an agent {max(agents)}")
        steps = max(self._integer("max_steps", 0, maximum=MAX_INDEX), self._last + 1, 1)
        attributes = self._attributes()
        rows = Rows.of(sorted(self._rows, key=lambda row: row[3]))
        width, height = self._map_size()
        check_size(width, height, layers=0, agents=num_agents, ticks=steps, max_agent_ticks=MAX_AGENT_STEPS)
        return Replay(
            map_size=(width, height),
            num_agents=num_agents,
            first_tick=FIRST_TICK,
            last_tick=FIRST_TICK + steps - 1,
            has_start=False,
            has_asked=False,
            max_steps=attributes.get("max_steps", 0),
            seed=attributes.get("seed"),
            action_names=self._texts("action_names"),
            animation_names=self._texts("animation_names"),
            resource_names=self._texts("item_names"),
            type_names=[name for name in type_names if name],
            tag_names=self._tag_names(),
            vibe_names=self._vibe_names(),
            capacities=capacities,
            cell_count=len(type_names),
            kinds=known,
            objects=Objects(
                np.array(ids, np.int32),
                np.array([positions[kind] for kind in kinds], np.int32),
                np.array(agents, np.int32),
            ),
            rows=rows,
            notes=sorted(self._notes, key=lambda note: (note.tick, note.agent)),
            policy_env_interface=self._table("policy_env_interface"),
            config_parts=(dumps(self._table("mg_config")).encode(),),
            stats={"game": self._game_stats(), "agent": []},
        )

    def _read_object(self, number: int, item: dict[str, Any]) -> set[int]:
        """Add the rows of the fields that every object has; return the object's capacities."""
        for index, alive in self._series(item, "alive") if "alive" in item else [(0, True)]:
            self._add(Field.ALIVE, number, 0, index, int(alive))
        for index, (col, row) in self._series(item, "location"):
            self._add(Field.LOCATION, number, 0, index, row << 16 | col)
        before: set[int] = set()
        for index, tags in self._series(item, "tag_ids"):
            for tag in sorted(before ^ set(tags)):
                self._add(Field.TAG, number, tag, index, int(tag in tags))
            before = set(tags)
        capacities: set[int] = set()
        for name, field in _TABLES.items():
            held: dict[int, int] = {}
            for index, now in self._series(item, name):
                for key in sorted(held.keys() | now.keys()):
                    if now.get(key, 0) != held.get(key) or key not in held:
                        self._add(field, number, key, index, now.get(key, 0))
                held = now
                if field == Field.LIMIT:
                    capacities |= now.keys()
        return capacities

    def _read_agent(self, number: int, agent: int, item: dict[str, Any]) -> None:
        vibes = item if "vibe_id" in item else {**item, "vibe_id": item.get("vibe", 0)}
        for name, field in _NUMBERS.items():
            for index, value in self._series(vibes, name):
                if index > 0 or value:
                    self._add(field, number, 0, index, int(value))
        rewards = self._series(item, "current_reward")
        with np.errstate(over="ignore"):
            bits = float_bits([reward for _, reward in rewards]).tolist()
        for (index, _), value in zip(rewards, bits, strict=True):
            if index > 0 or value:
                self._add(Field.REWARD, number, 0, index, value)
        for index, infos in self._series(item, "policy_infos"):
            if index > 0 or infos:
                self._note(index, agent, "infos", infos)
        self._read_talk(agent, self._series(item, "talk_text"), self._series(item, "talk_remaining_steps"))

    def _read_talk(self, agent: int, texts: Series, remaining: Series) -> None:
        """Add a note wherever the talk differs from what the previous text would have become by expiring."""
        texts_by_step, remaining_by_step = dict(texts), dict(remaining)
        text, steps = "", 0
        noted: tuple[int, str, int] = (0, "", 0)
        for index in sorted(texts_by_step.keys() | remaining_by_step.keys()):
            text, steps = texts_by_step.get(index, text), remaining_by_step.get(index, steps)
            faded = max(0, noted[2] - (index - noted[0]))
            if (text, steps) != ((noted[1], faded) if faded else ("", 0)):
                noted = (index, text, min(steps, MAX_INDEX))
                self._note(index, agent, "talk", [text, noted[2]])

    def _kind(self, item: dict[str, Any], is_agent: bool, keys: set[int], capacities: list[Limit]) -> Kind:
        group, names = self._first(item, "group_id"), self._texts("group_names")
        known = {limit.key: limit.name for limit in capacities}
        return Kind(
            type_name=self._first(item, "type_name"),
            is_agent=is_agent,
            group_id=group,
            group_name=names[group] if 0 <= group < len(names) else "",
            limits=tuple(Limit(key, known.get(key, "")) for key in sorted(keys)),
        )

    def _add(self, field: Field, number: int, key: int, index: int, value: int) -> None:
        self._last = max(self._last, index)
        self._rows.append((field, number, key, FIRST_TICK + index, value))

    def _note(self, index: int, agent: int, kind: str, value: Any) -> None:
        self._last = max(self._last, index)
        self._notes.append(Note(FIRST_TICK + index, agent, kind, value))

    def _series(self, item: dict[str, Any], name: str) -> Series:
        return FIELDS[name].series(item[name], name) if name in item else [(0, FIELDS[name].default)]

    def _first(self, item: dict[str, Any], name: str) -> Any:
        """Return the constant value of a field. An object that appears late may have it only from then on."""
        series = self._series(item, name)
        return next((value for _, value in series if value), series[0][1])

    def _texts(self, key: str) -> list[str]:
        names = self._document.get(key, [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise UnreadableReplay(f"The replay has an invalid `{key}`: it must be a list of texts")
        return names

    def _table(self, key: str) -> dict[str, Any]:
        table = self._document.get(key)
        if table is not None and not isinstance(table, dict):
            raise UnreadableReplay(f"The replay has an invalid `{key}`: it must be an object")
        return table or {}

    def _integer(self, key: str, default: int, *, maximum: int) -> int:
        number = self._document.get(key, default)
        if type(number) is not int or not 0 <= number <= maximum:
            raise UnreadableReplay(f"The replay has an invalid `{key}`: it must be a whole number from 0 to {maximum}")
        return number

    def _map_size(self) -> tuple[int, int]:
        size = self._document.get("map_size", [0, 0])
        if not isinstance(size, list) or len(size) < 2 or not all(type(n) is int and 0 <= n <= 65535 for n in size[:2]):
            raise UnreadableReplay("The replay has an invalid `map_size`: it must be [width, height]")
        return size[0], size[1]

    def _tag_names(self) -> list[str]:
        tags = self._table("tags")
        if not all(type(number) is int and 0 <= number <= 65535 for number in tags.values()):
            raise UnreadableReplay("The replay has invalid `tags`: they must be numbered from 0 to 65535")
        names = [""] * (1 + max(tags.values(), default=-1))
        for name, number in tags.items():
            names[number] = name
        return names

    def _vibe_names(self) -> list[str]:
        names = _inside(self._document, "mg_config", "game", "vibe_names")
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    def _attributes(self) -> dict[str, int]:
        attributes = _inside(self._document, "infos", "attributes")
        numbers = attributes if isinstance(attributes, dict) else {}
        known = {name: numbers[name] for name in ("seed", "max_steps") if type(numbers.get(name)) is int}
        limit = _inside(self._document, "mg_config", "game", "max_steps")
        return ({"max_steps": limit} if type(limit) is int else {}) | known

    def _game_stats(self) -> dict[str, float]:
        stats = _inside(self._document, "infos", "game")
        if not isinstance(stats, dict):
            return {}
        return {name: value for name, value in stats.items() if type(value) in (int, float)}


def _inside(document: Any, *keys: str) -> Any:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _left_over(document: dict[str, Any], replay: Replay) -> dict[str, Any]:
    """Return the content of the document that the replay would not write."""
    written = v4_document(replay)
    extra: dict[str, Any] = {}
    more = {
        key: value
        for key, value in document.items()
        if key not in ("objects", "version") and _plain(value) != _plain(written.get(key))
    }
    if more:
        extra["document"] = more
    numbers, _, _ = ObjectWriter(replay).text()
    objects = {}
    for item, number in zip(written["objects"], numbers, strict=True):
        fields = _left_over_fields(document["objects"][number], item)
        if fields:
            objects[str(number)] = fields
    if objects:
        extra["objects"] = objects
    return extra


def _left_over_fields(item: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
    return {name: raw for name, raw in item.items() if name not in FIELDS or not _means(name, raw, written)}


def _means(name: str, raw: Any, written: dict[str, Any]) -> bool:
    """Return whether a field has the same meaning as the written one."""
    field = FIELDS[name]
    again = field.series(written[name], name) if name in written else [(0, field.default)]
    return json.dumps(field.series(raw, name)) == json.dumps(again)


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
