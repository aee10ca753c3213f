"""The tables of a program, written row by row by field name.

The native core owns the description of the rows (`core/program.hpp`); here it is only read, so the two cannot disagree.
"""

import struct
from collections.abc import Iterable, Sequence

import numpy as np

from mettagrid import _native

LAYOUT: dict[str, list[str]] = {name: list(fields) for name, fields in _native.table_layout().items()}
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


def float_bits(value: float) -> int:
    """The bits of `value` as a 32-bit float; out-of-range values become infinite."""
    return int(np.float32(value).view(np.int32))


class Tables:
    """Growing tables. Rows are lists of integers; missing fields are 0."""

    def __init__(self) -> None:
        self._rows: dict[str, list[list[int]]] = {name: [] for name in LAYOUT}
        self._index = {name: {field: i for i, field in enumerate(fields)} for name, fields in LAYOUT.items()}

    def count(self, table: str) -> int:
        return len(self._rows[table])

    def add(self, table: str, **fields: int) -> int:
        """Append a row and return its index."""
        index = self._index[table]
        row = [0] * len(index)
        for name, value in fields.items():
            row[index[name]] = int(value)
        rows = self._rows[table]
        rows.append(row)
        return len(rows) - 1

    def add_rows(self, table: str, rows: Iterable[Sequence[int]]) -> tuple[int, int]:
        """Append whole rows in field order; returns (first, count)."""
        first = self.count(table)
        self._rows[table].extend(list(row) for row in rows)
        return first, self.count(table) - first

    def add_list(self, values: Iterable[int]) -> tuple[int, int]:
        """Append plain integers to `lists`; returns (first, count)."""
        return self.add_rows("lists", ([value] for value in values))

    def add_mask(self, bits: Iterable[int]) -> int:
        """Append a set of numbers 0..255 to `masks`, once per distinct set; returns its index."""
        words = [0] * 8
        for bit in bits:
            words[bit >> 5] |= 1 << (bit & 31)
        row = [struct.unpack("<i", struct.pack("<I", word))[0] for word in words]
        rows = self._rows["masks"]
        if row in rows:
            return rows.index(row)
        rows.append(row)
        return len(rows) - 1

    def block(self) -> np.ndarray:
        """The program block: {offset, rows} per table, then the tables."""
        parts, head, at = [], [], 2 * len(LAYOUT)
        for name, fields in LAYOUT.items():
            rows = self._rows[name]
            head += [at, len(rows)]
            parts.append(np.asarray(rows, dtype=np.int32).reshape(-1))
            at += len(rows) * len(fields)
        return np.concatenate([np.asarray(head, dtype=np.int32), *parts])
