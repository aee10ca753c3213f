"""Read JSON objects from files, and validate values against JSON Schema draft 2020-12."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from coworld.errors import (
    DocumentError,
    InvalidJsonError,
    MissingFileError,
    NotAnObjectError,
    Problem,
    SourceError,
)
from coworld.schema.problems import join_path

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

__all__ = [
    "JsonSchema",
    "json_schema_validation_errors",
    "load_json_object",
    "parse_json_object",
    "schema_problems",
    "validate_json_schema",
    "value_problems",
]

JsonObject = dict[str, Any]
JsonSchema = dict[str, object]

_MAX_STEPS = 5_000_000
"""subschemas applied to a value: about a minute"""
_MAX_MESSAGE_CHARACTERS = 10_000_000


def json_schema_validation_errors(instance: object, schema: dict[str, Any]) -> list[ValidationError]:
    """Return the errors of `instance`, sorted by path. Formats count; references to other documents are not followed.

    Raises:
        DocumentError: `schema` itself is not JSON Schema (then it is a `jsonschema.SchemaError` too), or its references
            cannot be resolved or are circular.
    """
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    from coworld.schema.patterns import SchemaPatternValidator, TooManySteps, limited_steps

    invalid = _schema_error(schema)
    if invalid is not None:
        from coworld.schema.errors import InvalidSchemaError

        raise InvalidSchemaError(_schema_problem(invalid), invalid)
    checker = SchemaPatternValidator.FORMAT_CHECKER
    # An empty registry: a third-party schema must not make this machine fetch URLs.
    validator = SchemaPatternValidator(schema, format_checker=checker, registry=Registry())
    try:
        with limited_steps(_MAX_STEPS):
            errors = list(_first(validator.iter_errors(instance)))
        return sorted(errors, key=lambda error: [_in_order(part) for part in error.absolute_path])
    except TooManySteps:
        message = f"checking a value takes more than {_MAX_STEPS:,} steps"
        raise DocumentError([Problem("", message, "write a simpler schema, or a smaller value")]) from None
    except Unresolvable as error:
        message, fix = f"the reference {error.ref!r} leads nowhere", "define it under `$defs` of the same schema"
        raise DocumentError([Problem("", message, fix)]) from error
    except RecursionError as error:
        raise DocumentError([Problem("", "references are circular", "break the cycle")]) from error
    except re.error as error:
        message = f"{error.pattern!r} is not a regular expression: {error.msg}"
        raise DocumentError([Problem("", message, "correct the pattern in the schema")]) from error


def _first(errors: Iterator[ValidationError]) -> Iterator[ValidationError]:
    """Return the first errors. A message quotes the value, so that millions of them would not fit into memory."""
    characters = 0
    for error in errors:
        yield error
        characters += len(error.message)
        if characters > _MAX_MESSAGE_CHARACTERS:
            return


def _in_order(part: str | int) -> tuple[bool, int, str]:
    """Return a sort key: positions before names, positions by number."""
    return (True, 0, part) if isinstance(part, str) else (False, part, "")


def validate_json_schema(instance: object, schema: dict[str, Any]) -> None:
    """Raise the first `jsonschema.ValidationError` by path, if there is one."""
    for error in json_schema_validation_errors(instance, schema):
        raise error


def value_problems(instance: object, schema: dict[str, Any], *, at: str = "") -> list[Problem]:
    """Return the errors of an instance as problems; `at` is the instance's path in its document."""
    return [
        Problem(
            ".".join(filter(None, [at, join_path(list(error.absolute_path))])).replace(".[", "["),
            error.message,
            "change it to satisfy the schema",
        )
        for error in json_schema_validation_errors(instance, schema)
    ]


def schema_problems(schema: object, *, at: str = "") -> list[Problem]:
    """Return why `schema` is not JSON Schema: at most one problem."""
    error = _schema_error(schema)
    return [] if error is None else [_schema_problem(error, at=at)]


def _schema_error(schema: object) -> ValidationError | None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    return best_match(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema))


def _schema_problem(error: ValidationError, *, at: str = "") -> Problem:
    path = ".".join(filter(None, [at, join_path(list(error.absolute_path))]))
    message = f"{path or 'it'} is not JSON Schema: {error.message}"
    return Problem(path, message, "write a schema of JSON Schema draft 2020-12")


def parse_json_object(data: bytes | str, *, name: str, unique_keys: bool = False) -> JsonObject:
    """Parse a JSON object; `name` is its name in an error. `NaN` and infinities are not JSON. With `unique_keys`,
    duplicate keys are an error.

    Raises:
        SourceError: it is not JSON (`InvalidJsonError`), or not an object (`NotAnObjectError`).
    """
    try:
        value = json.loads(
            data,
            parse_constant=_no_number,
            parse_float=_finite,
            object_pairs_hook=_unique if unique_keys else None,
        )
    except (ValueError, RecursionError) as error:
        reason, hint = str(error), "fix the text; `python -m json.tool` shows it"
        if isinstance(error, json.JSONDecodeError):
            raise InvalidJsonError(name, error, hint=hint) from error
        if isinstance(error, UnicodeDecodeError):
            reason = "it is not UTF-8"
        elif isinstance(error, RecursionError):
            reason = "it is too deeply nested"
        elif "digits" in reason:
            reason = "a number has thousands of digits"
        raise SourceError(f"{name} is not JSON: {reason}", hint=hint) from error
    if not isinstance(value, dict):
        raise NotAnObjectError(f"Expected JSON object in {name}", hint="the document starts with `{`")
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _unique(pairs: list[tuple[str, Any]]) -> JsonObject:
    document = dict(pairs)
    if len(document) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"an object has the key {twice!r} twice")
    return document


def load_json_object(path: Path) -> JsonObject:
    """Read the JSON object in a file.

    Raises:
        SourceError: there is no such file (`MissingFileError`), or it holds something else.
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise MissingFileError(path, hint="check the path") from error
    except OSError as error:
        raise SourceError(f"{path} could not be read: {error.strerror}", hint="check the path") from error
    return parse_json_object(data, name=str(path))
