"""Write our own file format: small, with random access by chunk. `docs/concepts/replays.md` describes it.

The same replay gives the same bytes: there are no times and no random names inside.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from mettagrid.replay._model import Note, Replay
from mettagrid.replay._packing import zlib_bytes
from mettagrid.replay._rows import Rows
from mettagrid.replay._v4_write import dumps

MAGIC = b"\x89CGREP\r\n"
VERSION = 1
HEAD = struct.Struct("<8sII")
"""magic, version, 0"""
FOOT = struct.Struct("<QII8s")
"""offset of the index, its size, its unpacked size, magic"""
CHUNK_HEAD = struct.Struct("<IIIIII")
"""first tick, last tick, rows before it, rows in it, bytes of notes, agents"""

TICKS_PER_CHUNK = 100
MAX_MONOLOGUE = 4096
"""characters of the earlier monologue that a chunk repeats"""


def compact_bytes(replay: Replay, *, ticks_per_chunk: int = TICKS_PER_CHUNK) -> bytes:
    """Return the whole file."""
    if not 1 <= ticks_per_chunk <= 65536:
        raise ValueError(f"ticks_per_chunk must be from 1 to 65536, not {ticks_per_chunk}")
    sections = {
        "header": [dumps(_header(replay)).encode()],
        "config": replay.config_parts,
        "initial": [_initial(replay)],
        "result": [dumps({"stats": replay.stats, "episode_rewards": replay.episode_rewards}).encode()],
    }
    chunks = _chunks(replay, ticks_per_chunk)
    pieces = [HEAD.pack(MAGIC, VERSION, 0)]
    at = HEAD.size
    index: dict[str, Any] = {"chunks": []}

    def place(parts: Sequence[bytes]) -> list[int]:
        nonlocal at
        packed = zlib_bytes(parts)
        pieces.append(packed)
        at += len(packed)
        return [at - len(packed), len(packed), sum(map(len, parts))]

    for name, parts in sections.items():
        index[name] = place(parts)
    for first, last, content in chunks:
        index["chunks"].append([first, last, *place([content])])
    begin, size, unpacked = place([dumps(index).encode()])
    pieces.append(FOOT.pack(begin, size, unpacked, MAGIC))
    return b"".join(pieces)


def _header(replay: Replay) -> dict[str, Any]:
    width, height = replay.map_size
    return {
        "engine": replay.engine,
        "seed": replay.seed,
        "map_size": [width, height],
        "num_agents": replay.num_agents,
        "max_steps": replay.max_steps,
        "first_tick": replay.first_tick,
        "last_tick": replay.last_tick,
        "has_start": replay.has_start,
        "has_asked": replay.has_asked,
        "action_names": replay.action_names,
        "animation_names": replay.animation_names,
        "resource_names": replay.resource_names,
        "type_names": replay.type_names,
        "tag_names": replay.tag_names,
        "vibe_names": replay.vibe_names,
        "stat_names": replay.stat_names,
        "territory_names": replay.territory_names,
        "capacities": [asdict(limit) for limit in replay.capacities],
        "cell_count": replay.cell_count,
        "observed_values": replay.observed_values,
        "corrections": replay.corrections,
        "kinds": [asdict(kind) for kind in replay.kinds],
        "policy_env_interface": replay.policy_env_interface,
        "extra": replay.extra,
    }


def _initial(replay: Replay) -> bytes:
    objects = replay.objects
    notes = dumps({"notes": [_listed(note) for note in replay.notes if note.tick <= replay.first_tick]}).encode()
    return b"".join(
        [
            struct.pack("<III", len(objects), len(replay.initial), len(notes)),
            objects.ids.astype("<i4").tobytes(),
            objects.kinds.astype("<i4").tobytes(),
            objects.agents.astype("<i4").tobytes(),
            _table(replay.initial),
            notes,
        ]
    )


def _table(rows: Rows, first_tick: int | None = None) -> bytes:
    """Return the columns one after the other, widest first; with ticks relative to `first_tick`, if given."""
    columns = [rows.value.astype("<i4"), rows.object.astype("<u4"), rows.key.astype("<u2")]
    if first_tick is not None:
        columns.append((rows.tick - first_tick).astype("<u2"))
    columns.append(rows.field.astype("u1"))
    packed = b"".join(column.tobytes() for column in columns)
    return packed + bytes(-len(packed) % 4)


def _chunks(replay: Replay, size: int) -> list[tuple[int, int, bytes]]:
    """Return (first tick, last tick, content) of each chunk; the first chunk begins after the initial state."""
    totals = np.array([replay.total_rewards(agent) for agent in range(replay.num_agents)])
    totals = totals.reshape(replay.num_agents, -1)
    before = Rows.empty()
    chunks = []
    for first in range(replay.first_tick + 1, replay.last_tick + 1, size):
        last = min(first + size - 1, replay.last_tick)
        rows = replay.changes.between(first, last)
        notes = dumps(_notes(replay.notes, first, last)).encode()
        head = CHUNK_HEAD.pack(first, last, len(before), len(rows), len(notes), replay.num_agents)
        until_now = np.ascontiguousarray(totals[:, first - 1 - replay.first_tick]).astype("<f8").tobytes()
        chunks.append((first, last, b"".join([head, until_now, _table(before), _table(rows, first), notes])))
        before = before.then(rows).latest()
    return chunks


def chunk_bytes(first: int, last: int, rows: Rows, totals: np.ndarray, notes: Sequence[Note]) -> bytes:
    """Return a chunk with only the changes of its ticks, for readers that know the state before it."""
    noted = dumps({"before": [], "notes": [_listed(note) for note in notes]}).encode()
    head = CHUNK_HEAD.pack(first, last, 0, len(rows), len(noted), len(totals))
    return b"".join([head, totals.astype("<f8").tobytes(), _table(Rows.empty()), _table(rows, first), noted])


def _notes(notes: Sequence[Note], first: int, last: int) -> dict[str, Any]:
    """Return the notes in force before a chunk and those in it."""
    in_force: dict[tuple[int, str], Note] = {}
    for note in notes:
        if note.tick >= first:
            break
        if note.kind == "monologue":
            previous = in_force.get((note.agent, note.kind))
            text = note.value[0] if note.value[1] or previous is None else previous.value[0] + note.value[0]
            note = Note(note.tick, note.agent, note.kind, [text[-MAX_MONOLOGUE:], True])
        in_force[note.agent, note.kind] = note
    return {
        "before": [_listed(in_force[place]) for place in sorted(in_force)],
        "notes": [_listed(note) for note in notes if first <= note.tick <= last],
    }


def _listed(note: Note) -> list[Any]:
    return [note.tick, note.agent, note.kind, note.value]
