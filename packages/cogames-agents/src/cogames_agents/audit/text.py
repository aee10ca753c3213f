"""Write the lines of a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["counts", "fields", "section"]


def fields(**values: object) -> str:
    """Return `name=value` words."""
    return " ".join(f"{name}={value}" for name, value in values.items())


def counts(numbers: Mapping[str, int], names: Iterable[str], *, sign: bool = False) -> str:
    """Return `name=number` words for the names, with 0 for those that are missing."""
    return " ".join(f"{name}={numbers.get(name, 0):{'+d' if sign else 'd'}}" for name in names)


def section(title: str, lines: Iterable[str]) -> list[str]:
    """Return a title and its indented lines, after an empty line."""
    return ["", title, *(f"  {line}" for line in lines)]
