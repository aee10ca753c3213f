"""The tables of a program, written row by row by field name.

The native core defines the rows (`core/program/program.hpp`); this module reads the definition, so both agree.
"""

import math
from array import array
from collections.abc import Iterable, Sequence

import numpy as np

from mettagrid import _native

LAYOUT: dict[str, list[str]] = {name: list(fields) for name, fields in _native.table_layout().items()}
CONSTANTS: dict[str, int] = dict(_native.constants())
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
_INFINITE_FROM = 2.0**128 - 2.0**103  # half a step above the largest 32-bit float


def float_bits(value: float) -> int:
    """Return the bits of `value` as a 32-bit float; out-of-range values become infinite."""
    if abs(value) >= _INFINITE_FROM:
        value = math.inf if value > 0 else -math.inf
    return int(np.float32(value).view(np.int32))


class Tables:
    """Tables under construction. A row is given by field names, missing ones being 0, or whole in field order."""

    def __init__(self) -> None:
        self._words = {name: array("i") for name in LAYOUT}
        self._masks: dict[frozenset[int], int] = {}
        self._lists: dict[tuple[int, ...], int] = {}

    def count(self, table: str) -> int:
        return len(self._words[table]) // len(LAYOUT[table])

    def add(self, table: str, **fields: int) -> int:
        """Append a row and return its index."""
        index = self.count(table)
        unknown = fields.keys() - set(LAYOUT[table])
        if unknown:
            raise KeyError(f"Table {table!r} has no fields {sorted(unknown)}.")
        self._words[table].extend([int(fields.get(name, 0)) for name in LAYOUT[table]])
        return index

    def add_rows(self, table: str, rows: Iterable[Sequence[int]]) -> tuple[int, int]:
        """Append whole rows in field order; return (first, count)."""
        first, words = self.count(table), self._words[table]
        for row in rows:
            words.extend(row)
        return first, self.count(table) - first

    def row(self, table: str, index: int) -> dict[str, int]:
        """Return a row by field names."""
        fields = LAYOUT[table]
        first = index * len(fields)
        return dict(zip(fields, self._words[table][first : first + len(fields)], strict=True))

    def column(self, table: str, field: str) -> np.ndarray:
        """Return one field of all rows."""
        fields = LAYOUT[table]
        return np.array(self._words[table], np.int32).reshape(-1, len(fields))[:, fields.index(field)]

    def set(self, table: str, index: int, **fields: int) -> None:
        """Change fields of a row."""
        names = LAYOUT[table]
        for name, value in fields.items():
            self._words[table][index * len(names) + names.index(name)] = value

    def add_list(self, values: Iterable[int]) -> tuple[int, int]:
        """Append plain integers to `lists`, once per distinct list; return (first, count)."""
        key = tuple(values)
        if key not in self._lists:
            self._lists[key] = self.count("lists")
            self._words["lists"].extend(key)
        return self._lists[key], len(key)

    def add_mask(self, bits: Iterable[int]) -> int:
        """Append a set of numbers 0..255 to `masks`, once per distinct set; return its index."""
        key = frozenset(bits)
        if key not in self._masks:
            words = [0] * len(LAYOUT["masks"])
            for bit in key:
                words[bit >> 5] |= 1 << (bit & 31)
            self._masks[key] = self.count("masks")
            self._words["masks"].extend([word - (1 << 32) if word >> 31 else word for word in words])
        return self._masks[key]

    def mask(self, index: int) -> frozenset[int]:
        """Return the numbers in a mask."""
        return next(bits for bits, position in self._masks.items() if position == index)

    def block(self) -> np.ndarray:
        """Return the program block: {offset, rows} per table, then the tables."""
        head, at = array("i"), 2 * len(LAYOUT)
        for name, words in self._words.items():
            head.extend([at, self.count(name)])
            at += len(words)
        parts = [head, *self._words.values()]
        return np.concatenate(
            [np.frombuffer(part, dtype=np.int32) if part else np.empty(0, np.int32) for part in parts]
        )
