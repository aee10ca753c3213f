"""Read our own file format, completely or one chunk at a time. The bytes are untrusted."""

from __future__ import annotations

import io
import zlib
from bisect import bisect_right
from pathlib import Path
from typing import IO, Any, Self

import numpy as np

from mettagrid.replay._compact_header import Header, Index, json_object
from mettagrid.replay._compact_write import FOOT, HEAD, MAGIC, VERSION
from mettagrid.replay._frame import Frame, check_tick, make_frame
from mettagrid.replay._model import Note, Objects, Replay
from mettagrid.replay._rows import NOT_OBJECTS, Field, Rows
from mettagrid.replay.errors import UnknownReplayVersion, UnreadableReplay

_NOTE_KINDS = ("talk", "infos", "monologue")
_MAX_REMAINING = 1 << 20


def read_compact(data: bytes, *, max_bytes: int) -> Replay:
    """Read a whole file as a replay."""
    with ReplayFile(io.BytesIO(data), max_bytes=max_bytes) as file:
        return file.replay()


class ReplayFile:
    """Random access to a file of our own format: `frame(tick)` reads only the chunk that holds the tick.

    `source` is a path or an open binary file. An invalid file raises `UnreadableReplay`.
    """

    def __init__(self, source: str | Path | IO[bytes], *, max_bytes: int = 1 << 30) -> None:
        self._file: IO[bytes] = Path(source).open("rb") if isinstance(source, str | Path) else source  # noqa: SIM115
        self._max_bytes = max_bytes
        try:
            self._index = self._read_index()
            head = Header.parse(self._section(self._index.header))
            result = json_object(self._section(self._index.result))
            objects, initial, notes = self._initial(head)
            self._head = head.replay(objects, initial, notes, _stats(result))
            self._check_chunks(max_bytes)
        except BaseException:
            self.close()
            raise
        self._last_chunk: tuple[int, _Chunk] | None = None

    @property
    def first_tick(self) -> int:
        return self._head.first_tick

    @property
    def last_tick(self) -> int:
        return self._head.last_tick

    def frame(self, tick: int) -> Frame:
        """Return the state at a tick; raises IndexError if the replay does not have it."""
        head = self._head
        check_tick(tick, head.first_tick, head.last_tick)
        if tick == head.first_tick:
            totals = [float(head.total_rewards(agent)[0]) for agent in range(head.num_agents)]
            return make_frame(head, head.objects, head.rows, head.notes, totals, tick)
        chunk = self._chunk_of(tick)
        rows = head.rows.then(chunk.before).then(chunk.rows.between(chunk.first, tick)).latest()
        totals = [chunk.total(head, agent, tick) for agent in range(head.num_agents)]
        notes = [note for note in (*chunk.notes_before, *chunk.notes) if note.tick <= tick]
        return make_frame(head, head.objects, rows, notes, totals, tick)

    def replay(self) -> Replay:
        """Read the whole replay into memory."""
        head = self._head
        chunks = [self._chunk(number) for number in range(len(self._index.chunks))]
        columns = zip(*(rows.columns() for rows in (head.rows, *(chunk.rows for chunk in chunks))), strict=True)
        rows = Rows.make(*(np.concatenate(column) for column in columns))
        notes = [*head.notes, *(note for chunk in chunks for note in chunk.notes)]
        config = self._section(self._index.config)
        json_object(config)
        fields = {name: getattr(head, name) for name in Replay.__dataclass_fields__}
        return Replay(**(fields | {"rows": rows, "notes": notes, "config_parts": (config,)}))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _read_index(self) -> Index:
        size = self._file.seek(0, io.SEEK_END)
        if size < HEAD.size + FOOT.size:
            raise UnreadableReplay("The replay is truncated: it is shorter than an empty one")
        magic, version, _ = HEAD.unpack(self._bytes(0, HEAD.size))
        if magic != MAGIC:
            raise UnreadableReplay("This is not a replay of this format")
        if version != VERSION:
            raise UnknownReplayVersion(version, newest=VERSION)
        begin, packed, unpacked, magic = FOOT.unpack(self._bytes(size - FOOT.size, FOOT.size))
        if magic != MAGIC:
            raise UnreadableReplay("The replay is truncated: its end is missing")
        self._end = size - FOOT.size
        return Index.parse(self._section([begin, packed, unpacked]))

    def _bytes(self, begin: int, size: int) -> bytes:
        self._file.seek(begin)
        return self._file.read(size)

    def _section(self, place: list[int]) -> bytes:
        begin, packed, unpacked = place
        if not (0 <= begin <= self._end and 0 <= packed <= self._end - begin and 0 <= unpacked <= self._max_bytes):
            raise UnreadableReplay("The replay is damaged: a section offset is out of range")
        unpacker = zlib.decompressobj()
        try:
            content = unpacker.decompress(self._bytes(begin, packed), unpacked + 1)
        except zlib.error:
            raise UnreadableReplay("The replay is damaged: a section cannot be decompressed") from None
        if len(content) != unpacked or not unpacker.eof:
            raise UnreadableReplay("The replay is damaged: a section has the wrong size")
        return content

    def _initial(self, head: Header) -> tuple[Objects, Rows, list[Note]]:
        reader = _Columns(self._section(self._index.initial))
        objects, rows, notes = reader.numbers(3)
        ids, kinds, agents = (reader.column("<i4", objects).astype(np.int32) for _ in range(3))
        if len(kinds) and (kinds.min() < 0 or kinds.max() >= len(head.kinds)):
            raise UnreadableReplay("The replay is damaged: an object has an unknown kind")
        if len(agents) and (agents.min() < -1 or agents.max() >= head.num_agents):
            raise UnreadableReplay("The replay is damaged: an object has an unknown agent")
        table = Objects(ids, kinds, agents)
        initial = reader.table(rows, first_tick=None, default_tick=head.first_tick)
        return table, _checked(initial, head, len(table)), _notes(reader.rest(notes))[1]

    def _check_chunks(self, max_bytes: int) -> None:
        """Raise UnreadableReplay unless the chunks cover all ticks once and are not too large together."""
        chunks = self._index.chunks
        begins = [self._head.first_tick + 1, *(chunk[1] + 1 for chunk in chunks)]
        are_in_order = all(begin == first <= last for begin, (first, last, *_) in zip(begins, chunks, strict=False))
        if not are_in_order or begins[-1] != self._head.last_tick + 1:
            raise UnreadableReplay("The replay is damaged: its chunks overlap or leave a gap")
        if sum(chunk[4] for chunk in chunks) > max_bytes:
            raise UnreadableReplay(f"The replay is larger than {max_bytes // (1 << 20)} MB when decompressed")

    def _chunk_of(self, tick: int) -> _Chunk:
        number = bisect_right(self._index.chunks, tick, key=lambda chunk: chunk[0]) - 1
        if self._last_chunk is None or self._last_chunk[0] != number:
            self._last_chunk = number, self._chunk(number)
        return self._last_chunk[1]

    def _chunk(self, number: int) -> _Chunk:
        first, last, *place = self._index.chunks[number]
        return _Chunk(self._section(place), self._head, first, last)


class _Chunk:
    """The changes of some ticks, and the state before them."""

    def __init__(self, content: bytes, head: Replay, first: int, last: int) -> None:
        reader = _Columns(content)
        counts = reader.numbers(6)
        if counts[:2] != [first, last] or counts[5] != head.num_agents:
            raise UnreadableReplay("The replay is damaged: a chunk does not match the index or the header")
        self.first = first
        self._totals = reader.column("<f8", head.num_agents)
        before = reader.table(counts[2], first_tick=None, default_tick=first - 1)
        rows = reader.table(counts[3], first_tick=first, default_tick=first)
        if len(rows) and int(rows.tick.max()) > last:
            raise UnreadableReplay("The replay is damaged: a change lies outside its chunk")
        self.before, self.rows = (_checked(part, head, len(head.objects)) for part in (before, rows))
        self.notes_before, self.notes = _notes(reader.rest(counts[4]))

    def total(self, head: Replay, agent: int, tick: int) -> float:
        """Return the sum of an agent's rewards: the sum before the chunk, plus the reward of each tick since."""
        number = head.objects.of_agents.get(agent)
        if number is None:
            return 0.0
        reward = 0.0
        for part in (head.rows, self.before):
            recorded = part.of_field(Field.REWARD)
            mine = recorded.take(recorded.object == number).floats()
            reward = float(mine[-1]) if len(mine) else reward
        rewards = self.rows.of_field(Field.REWARD)
        changed = rewards.take(rewards.object == number)
        changes = dict(zip(changed.tick.tolist(), changed.floats().tolist(), strict=True))
        total = float(self._totals[agent])
        for now in range(self.first, tick + 1):
            reward = changes.get(now, reward)
            total += reward
        return total


class _Columns:
    """Reads numbers and columns from bytes in order."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def numbers(self, count: int) -> list[int]:
        return [int(number) for number in self.column("<u4", count)]

    def column(self, kind: str, count: int) -> np.ndarray:
        size = np.dtype(kind).itemsize * count
        if size > len(self._content) - self._at:
            raise UnreadableReplay("The replay is damaged: a section ends too early")
        column = np.frombuffer(self._content, kind, count, self._at) if count else np.zeros(0, kind)
        self._at += size
        return column

    def table(self, count: int, *, first_tick: int | None, default_tick: int) -> Rows:
        begin = self._at
        value, obj, key = (self.column(kind, count) for kind in ("<i4", "<u4", "<u2"))
        if first_tick is None:
            tick = np.full(count, default_tick, np.int32)
        else:
            tick = self.column("<u2", count).astype(np.int32) + first_tick
        field = self.column("u1", count)
        self.column("u1", (begin - self._at) % 4)
        is_known = field <= max(Field)  # later releases may add fields
        columns = (column[is_known] for column in (field, obj, key, tick, value))
        return Rows.make(*columns)

    def rest(self, size: int) -> bytes:
        return self.column("u1", size).tobytes()


def _checked(rows: Rows, head: Header | Replay, objects: int) -> Rows:
    """Return the rows; raise UnreadableReplay if one refers to an unknown object or key."""
    are_objects = ~np.isin(rows.field, NOT_OBJECTS)
    owners, stats = rows.of_field(Field.OWNER), rows.of_field(Field.STAT)
    width, height = head.map_size
    fits = [
        bool((rows.object[are_objects] < objects).all()),
        bool((owners.object < width * height).all() and (owners.key < len(head.territory_names)).all()),
        bool((stats.key < len(head.stat_names)).all()),
    ]
    if not all(fits):
        raise UnreadableReplay("The replay is damaged: a change refers to an unknown object or key")
    places = rows.places()
    if bool(((np.diff(rows.tick) < 0) & (np.diff(places) == 0)).any()):
        raise UnreadableReplay("The replay is damaged: its changes are not in order of time")
    return rows


def _notes(content: bytes) -> tuple[list[Note], list[Note]]:
    """Return (notes in force before the chunk, notes in it)."""
    document = json_object(content)
    return _note_list(document.get("before", [])), _note_list(document.get("notes", []))


def _note_list(listed: Any) -> list[Note]:
    if not isinstance(listed, list):
        raise UnreadableReplay("The replay is damaged: its notes are not a list")
    return [_note(entry) for entry in listed if not (isinstance(entry, list) and entry[2:3] and _is_unknown(entry[2]))]


def _is_unknown(kind: Any) -> bool:
    return isinstance(kind, str) and kind not in _NOTE_KINDS


def _note(entry: Any) -> Note:
    if isinstance(entry, list) and len(entry) == 4 and all(type(number) is int for number in entry[:2]):
        tick, agent, kind, value = entry
        pair = isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)
        if (kind == "infos" and isinstance(value, dict)) or (kind == "monologue" and pair and type(value[1]) is bool):
            return Note(tick, agent, kind, value)
        if kind == "talk" and pair and type(value[1]) is int and 0 <= value[1] <= _MAX_REMAINING:
            return Note(tick, agent, kind, value)
    raise UnreadableReplay("The replay is damaged: a note is malformed")


def _stats(result: dict[str, Any]) -> dict[str, Any]:
    stats = result.get("stats")
    game, agents = (stats.get("game"), stats.get("agent")) if isinstance(stats, dict) else (None, None)
    tables = [game, *agents] if isinstance(agents, list) else [None]
    for table in tables:
        if not isinstance(table, dict) or not all(isinstance(x, int | float) or x is None for x in table.values()):
            raise UnreadableReplay("The replay is damaged: its stats are not numbers")
    return {"game": game, "agent": agents}
