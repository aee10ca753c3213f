"""Read a `.bitreplay` file, versions 3 and 4."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bitworld.errors import BadReplay
from bitworld.fields import Fields
from bitworld.replays import records
from bitworld.replays.records import MAGIC, Chat, Hash, Input, Join, Leave, Record, RecordType, Restart, step_at

__all__ = ["MAX_STEPS", "Part", "Replay", "read_replay"]

VERSIONS = (3, 4)
MAX_STEPS = 1 << 24
"""most ticks of one game; about eight days"""


@dataclass(slots=True)
class Part:
    """The records of one game in a file. Steps count from 0; the time of a record decides its step."""

    events: dict[int, list[Record]] = field(default_factory=lambda: defaultdict(list))
    """step -> records that apply before it, in the order of the file"""
    hashes: dict[int, Hash] = field(default_factory=dict)
    """step -> the state after it"""
    length: int = 0
    """number of steps"""
    is_restart: bool = False
    """whether the part begins with a new game instead of the state after the part before"""


@dataclass(frozen=True, slots=True)
class Replay:
    version: int
    game: str
    game_version: str
    start_ms: int
    """when the recording began, in milliseconds since 1970; 0 if unknown"""
    config_text: str
    records: tuple[Record, ...]
    parts: tuple[Part, ...]
    """the games that can be played, in their order"""

    @property
    def config(self) -> dict[str, Any]:
        config: dict[str, Any] = json.loads(self.config_text)
        return config

    @property
    def length(self) -> int:
        """The number of steps that can be played."""
        return sum(part.length for part in self.parts)


def read_replay(data: bytes) -> Replay:
    """Parse a file and check its order. Raises `BadReplay` with the offset of the first error."""
    if data[: len(MAGIC)] != MAGIC:
        raise BadReplay("The file is not a BitWorld replay: it does not begin with `BITWORLD`")
    fields = Fields(data, BadReplay)
    fields.take(len(MAGIC))
    (version,) = fields.unpack(records.LENGTH)
    if version not in VERSIONS:
        raise BadReplay(f"The replay has version {version}; versions {' and '.join(map(str, VERSIONS))} can be read")
    game, game_version = _text(fields), _text(fields)
    (start_ms,) = fields.unpack(records.TIME)
    begin = fields.offset
    config_text = _text(fields)
    try:
        is_object = isinstance(json.loads(config_text), dict)
    except (ValueError, RecursionError):
        is_object = False
    if not is_object:
        raise BadReplay(f"The configuration at byte {begin} is not a JSON object")
    found = tuple(_records(fields, version))
    return Replay(version, game, game_version, start_ms, config_text, found, tuple(_parts(found, version)))


def _records(fields: Fields, version: int) -> Iterator[Record]:
    while not fields.is_done:
        begin = fields.offset
        kind = fields.take(1)[0]
        if kind == RecordType.HASH:
            tick, value = fields.unpack(records.HASH)
            yield Hash(tick, value, begin)
        elif kind == RecordType.INPUT:
            time, player, mask = fields.unpack(records.INPUT)
            yield Input(time, player, mask, begin)
        elif kind == RecordType.JOIN:
            time, player = fields.unpack(records.EVENT)
            name = _text(fields)
            (slot,) = fields.unpack(records.SLOT)
            yield Join(time, player, name, slot, _text(fields), begin)
        elif kind == RecordType.LEAVE:
            time, player = fields.unpack(records.EVENT)
            yield Leave(time, player, begin)
        elif kind == RecordType.CHAT and version >= 4:
            time, player = fields.unpack(records.EVENT)
            yield Chat(time, player, _text(fields), begin)
        elif kind == RecordType.RESTART and version >= 4:
            (time,) = fields.unpack(records.RESTART)
            yield Restart(time, begin)
        else:
            raise BadReplay(f"The record at byte {begin} has the unknown type {kind}")


def _parts(found: tuple[Record, ...], version: int) -> Iterator[Part]:
    """Split the records into games.

    Published readers ignore everything after the first game, so a file of version 3 ends silently where a later game
    is not in order.
    """
    part, latest = Part(), dict.fromkeys((Input, Join, Leave, Chat, Restart), 0)
    is_first = True
    for record in found:
        problem = _problem(record, part, latest)
        if problem and version == 3 and not (is_first and _is_damage(record)):
            break
        if problem:
            raise BadReplay(problem)
        if isinstance(record, Hash):
            part.length = record.tick or part.length + 1
            part.hashes[part.length - 1] = record
            if record.tick:
                continue
        elif not isinstance(record, Restart):
            latest[type(record)] = record.time
            part.events[step_at(record.time)].append(record)
            continue
        yield part
        is_first = False
        part, latest = Part(is_restart=isinstance(record, Restart)), dict.fromkeys(latest, 0)
    if part.length or part.is_restart:
        yield part


def _problem(record: Record, part: Part, latest: Mapping[type[Record], int]) -> str:
    """Return a sentence if a record cannot follow those of its game, else nothing."""
    if isinstance(record, Hash):
        if 0 < record.tick <= part.length:
            return f"The hash at byte {record.offset} is for tick {record.tick}, which was recorded before"
        if record.tick > MAX_STEPS:
            return f"The hash at byte {record.offset} is for tick {record.tick}, after {MAX_STEPS}"
    elif record.time < latest[type(record)]:
        kind = type(record).__name__.lower()
        return f"The {kind} at byte {record.offset} goes back from {latest[type(record)]} ms to {record.time}"
    return ""


def _is_damage(record: Record) -> bool:
    """Return whether a record out of order is an error in the first game too; a tick that returns is the next game."""
    return not isinstance(record, Hash) or record.tick > MAX_STEPS


def _text(fields: Fields) -> str:
    (length,) = fields.unpack(records.LENGTH)
    return fields.text(length)
