"""Choose fields of a JSON document: `--json id,policy.name`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from softmax.cli.errors import UsageError

__all__ = ["choose_fields", "split_fields"]


def split_fields(text: str) -> list[str]:
    """Split the value of `--json`; raise `UsageError` if it names no field."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UsageError(f"--json={text} has an empty field name", ["write the names with commas: --json=id,name"])
    return names


def choose_fields(document: Any, names: Sequence[str]) -> Any:
    """Return an object, or each object of a list, with only these fields, in this order.

    A name with dots reaches into objects; through a list it collects one value per item.
    """
    if isinstance(document, Mapping):
        return {name: _value(document, name.split("."), name) for name in names}
    if isinstance(document, list):
        return [choose_fields(item, names) for item in document]
    raise UsageError("This document has no fields to choose from", ["use --json without field names"])


def _value(document: Any, parts: Sequence[str], name: str) -> Any:
    if not parts or document is None:
        return document
    if isinstance(document, list):
        return [_value(item, parts, name) for item in document]
    if not isinstance(document, Mapping) or parts[0] not in document:
        known = ", ".join(map(str, document)) if isinstance(document, Mapping) else "none"
        raise UsageError(f"Unknown JSON field '{name}'", [f"fields: {known}"])
    return _value(document[parts[0]], parts[1:], name)
