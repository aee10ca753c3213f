"""The base of all models of documents."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints

__all__ = [
    "HTTP_URL_PATTERN",
    "SCHEMA_VERSION",
    "BrokenRule",
    "DocumentModel",
    "GameConfig",
    "HttpUrl",
    "JsonSchema",
    "Text",
]

SCHEMA_VERSION = "https://json-schema.org/draft/2020-12/schema"
HTTP_URL_PATTERN = "^https?://"


class BrokenRule(ValueError):
    """A rule that a document breaks, raised by a model's validator; `coworld.schema.problems` reports it with its path.

    `path` is below the part of the document that the validator belongs to, as keys and positions. `subject` starts the
    text of the error itself, which pydantic prints without that path.
    """

    def __init__(self, message: str, fix: str, *path: str | int, subject: str = "") -> None:
        super().__init__(f"{subject} {message}" if subject else message)
        self.message = message
        self.fix = fix
        self.path = path


class DocumentModel(BaseModel):
    """A part of a document: unknown keys are errors, and fields are written under their aliases.

    Readers of downloaded documents pass `extra="ignore"` to `model_validate`, which holds at every depth.
    """

    model_config = ConfigDict(extra="forbid", serialize_by_alias=True)


Text = Annotated[str, StringConstraints(min_length=1)]
"""A string that is not empty."""

HttpUrl = Annotated[str, StringConstraints(pattern=HTTP_URL_PATTERN)]
"""An http(s) URL, stored as written."""

JsonSchema = dict[str, Any]
"""A JSON Schema of draft 2020-12, stored as written."""

GameConfig = dict[str, Any]
"""A configuration of the game, without the `tokens`, which only the runner adds."""
