"""Limit the JSON Schemas that a server takes: it checks third-party values against third-party schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from coworld.errors import Problem
from coworld.schema.references import Pointer, reference_target, subschemas

__all__ = ["applied_subschemas", "bound_problems"]

MAX_BYTES = 256 << 10
MAX_DEPTH = 40
MAX_ENUM = 1000
MAX_PATTERN = 500
MAX_APPLIED = 20_000
"""subschemas, where each reference counts as all that it refers to"""


def bound_problems(schema: dict[str, Any], *, at: str) -> list[Problem]:
    """Return why a schema is beyond the limits; `at` is its path in the manifest."""
    if _depth(schema) > MAX_DEPTH:
        return [Problem(at, f"the schema is nested more than {MAX_DEPTH} deep", "write it flatter, with `$defs`")]
    size = len(json.dumps(schema, ensure_ascii=False).encode())
    if size > MAX_BYTES:
        return [Problem(at, f"the schema has {size:,} bytes; at most {MAX_BYTES:,} are allowed", "write a shorter one")]
    parts = dict(subschemas(schema))
    problems = [problem for pointer, part in parts.items() for problem in _part_problems(part, (at, *pointer))]
    if not problems and applied_subschemas(schema) > MAX_APPLIED:
        message = f"its references lead to more than {MAX_APPLIED:,} subschemas"
        problems.append(Problem(at, message, "refer to each definition fewer times"))
    return problems


def _depth(value: object) -> int:
    """Return how deep objects and lists are nested, `MAX_DEPTH` and one at most."""
    depth, level = 0, [value]
    while depth <= MAX_DEPTH:
        groups = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, dict | list)]
        if not groups:
            break
        depth, level = depth + 1, [child for group in groups for child in group]
    return depth


def _part_problems(part: dict[str, Any], path: Pointer) -> Iterator[Problem]:
    from coworld.schema.patterns import is_linear  # `jsonschema` is slow to import

    values = part.get("enum")
    if isinstance(values, list) and len(values) > MAX_ENUM:
        message = f"the list has {len(values):,} values; at most {MAX_ENUM:,} are allowed"
        yield Problem(".".join((*path, "enum")), message, "describe the values with `type`, `minimum` or `pattern`")
    named = part.get("patternProperties")
    patterns = [("pattern", part.get("pattern"))]
    patterns += [("patternProperties", pattern) for pattern in named] if isinstance(named, dict) else []
    for keyword, pattern in patterns:
        if not isinstance(pattern, str):
            continue
        if len(pattern) > MAX_PATTERN:
            message = f"the pattern has {len(pattern):,} characters; at most {MAX_PATTERN} are allowed"
            yield Problem(".".join((*path, keyword)), message, "write a shorter one")
        elif not is_linear(pattern):
            message = f"{pattern[:80]!r} cannot be matched in linear time"
            fix = "write a regular expression without look-around and references back"
            yield Problem(".".join((*path, keyword)), message, fix)


def applied_subschemas(schema: dict[str, Any]) -> int:
    """Return how many subschemas a schema applies, `MAX_APPLIED` and one at most.

    A reference back to a schema that contains it is not followed: the depth of the value limits it.
    """
    parts = dict(subschemas(schema))
    totals: dict[Pointer, int] = {}
    children: dict[Pointer, list[Pointer]] = {pointer: [] for pointer in parts}
    for pointer, part in parts.items():
        parent = next((pointer[:end] for end in range(len(pointer) - 1, -1, -1) if pointer[:end] in parts), None)
        if parent is not None and pointer and not _is_definition(pointer):
            children[parent].append(pointer)
        reference = part.get("$ref")
        target = reference_target(reference) if isinstance(reference, str) else None
        if target in parts:
            children[pointer].append(target)
    open_pointers: set[Pointer] = set()
    pending: list[tuple[Pointer, bool]] = [((), False)]
    while pending:
        pointer, leaving = pending.pop()
        if leaving:
            open_pointers.discard(pointer)
            totals[pointer] = min(1 + sum(totals.get(child, 1) for child in children[pointer]), MAX_APPLIED + 1)
        elif pointer not in totals and pointer not in open_pointers:
            open_pointers.add(pointer)
            pending.append((pointer, True))
            pending += [(child, False) for child in children[pointer]]
    return totals[()]


def _is_definition(pointer: Pointer) -> bool:
    return pointer[-1] in ("$defs", "definitions")
