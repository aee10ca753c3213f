"""Check references inside the JSON Schemas of a manifest: they stay in their document and are not circular."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from coworld.errors import Problem

__all__ = ["Pointer", "reference_problems", "reference_target", "subschemas"]

_VALUES = ("const", "enum", "default", "examples")
"""keywords whose contents are not schemas"""
_IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
_IN_PLACE = ("not", "if", "then", "else")
Pointer = tuple[str, ...]


def reference_problems(schema: object, *, at: str) -> list[Problem]:
    """Return a problem for each reference that cannot be resolved; `at` is the schema's path in its document."""
    parts = dict(subschemas(schema))
    names = {part.get("$id") for part in parts.values() if isinstance(part.get("$id"), str)} | {""}
    anchors = {part.get(key) for part in parts.values() for key in ("$anchor", "$dynamicAnchor") if key in part}
    problems = []
    for pointer, part in parts.items():
        for key in ("$ref", "$dynamicRef"):
            reference = part.get(key)
            if not isinstance(reference, str):
                continue
            path = ".".join((at, *pointer, key))
            document, _, fragment = reference.partition("#")
            if document not in names:
                fix = "copy what it refers to into `$defs` and refer to `#/$defs/NAME`: nothing is fetched"
                problems.append(Problem(path, f"the reference {reference!r} leads to another document", fix))
            elif not document and fragment not in anchors and reference_target(reference) not in parts:
                fix = "define it under `$defs` of the same schema"
                problems.append(Problem(path, f"the reference {reference!r} leads nowhere", fix))
    if not problems and (circle := _circle(parts)) is not None:
        path = ".".join((at, *circle))
        problems.append(Problem(path, "its references lead in a circle", "let one of them go through a property"))
    return problems


def subschemas(value: object) -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """Return every object of a schema, by its path."""
    pending: list[tuple[Pointer, object]] = [((), value)]
    while pending:
        here, part = pending.pop()
        if isinstance(part, dict):
            yield here, part
            pending += [((*here, str(key)), child) for key, child in part.items() if key not in _VALUES]
        elif isinstance(part, list):
            pending += [((*here, str(index)), child) for index, child in enumerate(part)]


def reference_target(reference: str) -> Pointer | None:
    """Return the path that a reference inside the same document names."""
    if reference == "#":
        return ()
    if not reference.startswith("#/"):
        return None
    return tuple(unquote(part).replace("~1", "/").replace("~0", "~") for part in reference[2:].split("/"))


def _circle(schemas: dict[Pointer, dict[str, Any]]) -> Pointer | None:
    """Return a circular schema: one that applies itself to the same value without descending into it."""
    done: set[Pointer] = set()
    for start in schemas:
        path: list[Pointer] = []
        pending: list[tuple[Pointer, bool]] = [(start, False)]
        while pending:
            pointer, leaving = pending.pop()
            if leaving:
                path.remove(pointer)
                done.add(pointer)
            elif pointer in path:
                return pointer
            elif pointer not in done:
                path.append(pointer)
                pending.append((pointer, True))
                pending += [(following, False) for following in _applied(pointer, schemas)]
    return None


def _applied(pointer: Pointer, schemas: dict[Pointer, dict[str, Any]]) -> Iterator[Pointer]:
    """Return the schemas that apply to the same value as this one."""
    schema = schemas[pointer]
    following = [reference_target(schema["$ref"])] if isinstance(schema.get("$ref"), str) else []
    for key in _IN_PLACE_LISTS:
        members = schema.get(key)
        following += [(*pointer, key, str(index)) for index in range(len(members) if isinstance(members, list) else 0)]
    following += [(*pointer, key) for key in _IN_PLACE if key in schema]
    yield from (place for place in following if place is not None and place in schemas)
