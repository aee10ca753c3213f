"""Validate with third-party schemas in bounded time.

Python's own engine for regular expressions can be kept busy for ever by a short pattern and a short text. Patterns are
matched by the engine that pydantic brings along, which takes time linear in the text; only what it does not know
(look-around, references back) is left to Python. `limited_steps` limits how many subschemas are applied: references
can make a small schema apply itself exponentially often.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from pydantic_core import SchemaError, SchemaValidator, core_schema

__all__ = ["SchemaPatternValidator", "TooManySteps", "is_linear", "limited_steps"]

_steps_left: ContextVar[int | None] = ContextVar("steps_left", default=None)


class TooManySteps(Exception):
    """The limit of `limited_steps` was reached."""


@contextmanager
def limited_steps(count: int) -> Iterator[None]:
    """Raise `TooManySteps` in a validator that applies more subschemas than this in the block."""
    token = _steps_left.set(count)
    try:
        yield
    finally:
        _steps_left.reset(token)


def is_linear(pattern: str) -> bool:
    """Return whether a pattern is matched in time linear in the text."""
    try:
        _linear(pattern)
    except SchemaError:
        return False
    return True


def _linear(pattern: str) -> Callable[[str], bool]:
    return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex")).isinstance_python


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Callable[[str], bool]:
    """Whether the pattern is found in a text; raises `re.error` when it is none."""
    try:
        return _linear(pattern)
    except SchemaError:
        compiled = re.compile(pattern)
        return lambda text: compiled.search(text) is not None


def _pattern(_: Any, pattern: str, instance: Any, schema: dict[str, Any]) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _matcher(pattern)(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: dict[str, Any], instance: Any, schema: dict[str, Any]
) -> Iterator[ValidationError]:
    for pattern, subschema in patterns.items() if isinstance(instance, dict) else ():
        for key, value in instance.items():
            if _matcher(pattern)(key):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _additional_properties(
    validator: Any, subschema: Any, instance: Any, schema: dict[str, Any]
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    patterns = [_matcher(pattern) for pattern in schema.get("patternProperties", {})]
    extras = [
        key
        for key in instance
        if key not in schema.get("properties", {}) and not any(matches(key) for matches in patterns)
    ]
    if isinstance(subschema, dict):
        for key in extras:
            yield from validator.descend(instance[key], subschema, path=key)
    elif subschema is False and extras:
        names = ", ".join(repr(key) for key in sorted(extras, key=str))
        single = len(extras) == 1
        if patterns:
            regexes = ", ".join(repr(pattern) for pattern in sorted(schema["patternProperties"]))
            yield ValidationError(f"{names} {'does' if single else 'do'} not match any of the regexes: {regexes}")
        else:
            verb = "was" if single else "were"
            yield ValidationError(f"Additional properties are not allowed ({names} {verb} unexpected)")


SchemaPatternValidator: Any = extend(
    Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    },
)
"""The draft 2020-12 with these three keywords"""


_evolve = SchemaPatternValidator.evolve


def _evolve_here(self: Any, **changes: Any) -> Any:
    """Return the validator for a subschema: always of this class, whatever `$schema` the subschema names."""
    left = _steps_left.get()
    if left is not None:
        if left <= 0:
            raise TooManySteps
        _steps_left.set(left - 1)
    schema = changes.get("schema", self.schema)
    if isinstance(schema, dict) and "$schema" in schema:
        changes["schema"] = {key: value for key, value in schema.items() if key != "$schema"}
    return _evolve(self, **changes)


SchemaPatternValidator.evolve = _evolve_here
