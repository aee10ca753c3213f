"""Nested dictionaries."""

from collections.abc import Iterator
from typing import Any

__all__ = ["unroll_nested_dict"]


def unroll_nested_dict(d: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values of nested dicts with their keys joined by `/`; empty dicts yield nothing."""
    for key, value in d.items():
        if isinstance(value, dict):
            for inner, leaf in unroll_nested_dict(value):
                yield f"{key}/{inner}", leaf
        else:
            yield str(key), value
