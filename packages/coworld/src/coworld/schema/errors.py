"""Errors of documents that are also errors of `jsonschema`, which scripts for the published package catch.

Import this module inside functions: `jsonschema` is slow to import.
"""

from __future__ import annotations

from collections.abc import Sequence

from jsonschema.exceptions import SchemaError, ValidationError

from coworld.errors import DocumentError, Problem

__all__ = ["InvalidGameConfigError", "InvalidSchemaError"]


class InvalidGameConfigError(DocumentError, ValidationError):
    """A configuration that its JSON Schema rejects; has the fields of the first `jsonschema.ValidationError`."""

    def __init__(self, problems: Sequence[Problem], first: ValidationError) -> None:
        DocumentError.__init__(self, problems, text=problems[0].message)
        self.__dict__.update(first.__dict__)

    def __str__(self) -> str:
        return str(self.args[0])


class InvalidSchemaError(DocumentError, SchemaError):
    """A schema that is not JSON Schema; has the fields of the `jsonschema.SchemaError`."""

    def __init__(self, problem: Problem, first: SchemaError | ValidationError) -> None:
        DocumentError.__init__(self, [problem])
        self.__dict__.update(first.__dict__)

    def __str__(self) -> str:
        return str(self.args[0])
