"""The messages by which watchers receive new ticks."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from mettagrid.replay._compact_write import chunk_bytes
from mettagrid.replay._model import Note
from mettagrid.replay._rows import Field, Rows

__all__ = ["CHUNK", "OBJECTS", "WHOLE", "chunk_messages"]

WHOLE, CHUNK, OBJECTS = b"\x01", b"\x02", b"\x03"
"""first bytes of a binary message"""


def chunk_messages(
    written: np.ndarray, notes: Sequence[Note], *, first: int, last: int, totals: np.ndarray
) -> list[bytes]:
    """Return rows as the engine wrote them in these ticks as messages, new objects first.

    `totals` are the sums of rewards before the first tick.
    """
    begins = written["field"] == Field.TICK
    ticks = written["value"][begins][np.cumsum(begins) - 1]
    messages = []
    new = written[written["field"] == Field.OBJECT]
    if len(new):
        agents = {int(row["object"]): int(row["value"]) for row in written[written["field"] == Field.AGENT]}
        of_agents = [agents.get(number, -1) for number in new["object"].tolist()]
        columns = (new["value"], new["key"], np.array(of_agents))
        packed = b"".join(column.astype("<i4").tobytes() for column in columns)
        messages.append(OBJECTS + struct.pack("<I", len(new)) + packed)
    is_reported = written["field"] >= Field.ALIVE
    reported = written[is_reported]
    rows = Rows.make(reported["field"], reported["object"], reported["key"], ticks[is_reported], reported["value"])
    return [*messages, CHUNK + chunk_bytes(first, last, rows, totals, notes)]
