"""Write the rows of a report as text. A report is a document: {section: {row: {name: value}}}."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["Row", "Rows", "Signed", "counts", "fields", "section"]

Row = dict[str, object]
"""values by name; a value may be a list, or a mapping of numbers"""
Rows = dict[str, Row]


class Signed(int):
    """A number that text shows with its sign."""

    def __str__(self) -> str:
        return f"{int(self):+d}"


def counts(numbers: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    """Return the numbers for the names, in their order, with 0 for those that are missing."""
    return {name: numbers.get(name, 0) for name in names}


def fields(row: Mapping[str, object]) -> str:
    """Return `name=value` words; lists and mappings become `name[...]`."""
    words = []
    for name, value in row.items():
        if isinstance(value, Mapping):
            words.append(f"{name}[{fields(value)}]")
        elif isinstance(value, list):
            words.append(f"{name}[{' '.join(map(str, value))}]")
        else:
            words.append(f"{name}={value}")
    return " ".join(words)


def section(title: str, rows: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Return a title and its indented rows, after an empty line."""
    return ["", title, *(f"  {name}: {fields(row) or 'none'}" for name, row in rows.items())]
