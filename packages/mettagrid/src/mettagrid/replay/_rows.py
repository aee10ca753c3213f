"""The changes of an episode as columns.

A row says that `field` of `object` (and `key`, where a field has several values) is `value` from `tick` on. A field
without a row is 0; the owner of a cell is -1. The native recorder writes such rows, files hold them, and both replay
formats are created from them. `native/cpu/recorder.hpp` lists the fields in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np


class Field(IntEnum):
    """The property that a row changes."""

    TICK = 0
    OBJECT = 1
    AGENT = 2
    ALIVE = 3
    LOCATION = 4
    AMOUNT = 5
    LIMIT = 6
    TAG = 7
    VIBE = 8
    ACTION = 9
    SUCCESS = 10
    ANIMATION = 11
    REWARD = 12
    ASKED = 13
    ASKED_VIBE = 14
    STAT = 15
    OWNER = 16
    OBSERVED = 17
    RADIUS = 18


ROW = np.dtype([("object", "<u4"), ("value", "<i4"), ("key", "<u2"), ("field", "u1"), ("unused", "u1")])
"""A row as the native recorder writes it."""

NOT_OBJECTS = (Field.STAT, Field.OWNER)
"""fields whose rows name a stat or a cell instead of an object"""


@dataclass(frozen=True)
class Rows:
    """Columns of one length, ordered by field, object, key and tick."""

    field: np.ndarray
    """uint8"""
    object: np.ndarray
    """uint32: number of the object; for `OWNER` the cell, row by row"""
    key: np.ndarray
    """uint16: resource, tag, stat or territory"""
    tick: np.ndarray
    """int32"""
    value: np.ndarray
    """int32; of `REWARD` and `STAT` the bits of a float32, of `LOCATION` row << 16 | column"""

    def __len__(self) -> int:
        return len(self.field)

    @classmethod
    def make(cls, field: np.ndarray, object: np.ndarray, key: np.ndarray, tick: np.ndarray, value: np.ndarray) -> Rows:
        """Sort rows that are in order of time."""
        columns = cls(
            np.asarray(field, np.uint8),
            np.asarray(object, np.uint32),
            np.asarray(key, np.uint16),
            np.asarray(tick, np.int32),
            np.asarray(value, np.int32),
        )
        return columns.take(np.argsort(columns.places(), kind="stable"))

    @classmethod
    def empty(cls) -> Rows:
        return cls.make(*(np.zeros(0, np.int64) for _ in range(5)))

    @classmethod
    def of(cls, rows: list[tuple[int, int, int, int, int]]) -> Rows:
        """Create rows from (field, object, key, tick, value) in order of time."""
        columns = np.array(rows, np.int64).reshape(-1, 5)
        return cls.make(*(columns[:, i] for i in range(5)))

    def take(self, which: np.ndarray | slice) -> Rows:
        return Rows(self.field[which], self.object[which], self.key[which], self.tick[which], self.value[which])

    def places(self) -> np.ndarray:
        """Return one number for field, object and key together."""
        return (self.field.astype(np.int64) << 48) | (self.object.astype(np.int64) << 16) | self.key

    def of_field(self, field: Field) -> Rows:
        start, stop = np.searchsorted(self.field, [field, field + 1])
        return self.take(slice(int(start), int(stop)))

    def between(self, first: int, last: int) -> Rows:
        """Return the rows of the ticks `first` to `last`, inclusive."""
        return self.take((self.tick >= first) & (self.tick <= last))

    def latest(self) -> Rows:
        """Return the last row of each place."""
        places = self.places()
        is_last = np.ones(len(self), bool)
        is_last[:-1] = places[1:] != places[:-1]
        return self.take(is_last)

    def then(self, later: Rows) -> Rows:
        """Return these rows followed by later ones."""
        pairs = zip(self.columns(), later.columns(), strict=True)
        return Rows.make(*(np.concatenate(pair) for pair in pairs))

    def floats(self) -> np.ndarray:
        """Return the values reinterpreted as float32."""
        return np.ascontiguousarray(self.value).view(np.float32)

    def columns(self) -> tuple[np.ndarray, ...]:
        return (self.field, self.object, self.key, self.tick, self.value)


def float_bits(values: np.ndarray | list[float]) -> np.ndarray:
    """Return float32 numbers reinterpreted as int32."""
    return np.asarray(values, np.float32).view(np.int32)
