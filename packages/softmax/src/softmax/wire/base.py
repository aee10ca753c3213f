"""The base of all responses, and the marks that tell what a server sends from what a client also reads.

A server sends every field of a response. A client reads more: it preserves unknown fields of a newer server, and an
older server may omit a field that has a default. The OpenAPI document describes what the server sends.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, TypeAdapter

__all__ = ["SENT", "DescribedAs", "Nullable", "ResponseModel", "Timestamp"]

T = TypeVar("T")


class _Sent:
    def __repr__(self) -> str:
        return "SENT"


SENT: Final = _Sent()
"""mark of a field that has a default for clients and is required in the OpenAPI document"""


@dataclass(frozen=True)
class DescribedAs:
    """Describe a field in the OpenAPI document as `kind`: the server sends less than a client reads."""

    kind: Any

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(TypeAdapter(self.kind).core_schema)


def _timestamp(value: Any) -> Any:
    """Return a datetime as pydantic writes it in JSON."""
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value


Nullable: TypeAlias = Annotated[T | None, SENT]
"""a value or null; the server always sends the field"""

Timestamp: TypeAlias = Annotated[str, BeforeValidator(_timestamp), DescribedAs(datetime)]
"""a moment as text, as published clients have it; a server may pass a datetime"""


def _describe(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Describe what the server sends: no further properties, and fields with `SENT` without their defaults."""
    if schema.get("additionalProperties") is True:
        del schema["additionalProperties"]
    required = []
    for name, field in model.model_fields.items():
        if SENT in field.metadata:
            del schema["properties"][name]["default"]
        if SENT in field.metadata or field.is_required():
            required.append(name)
    if required:
        schema["required"] = required


class ResponseModel(BaseModel):
    """A response or a part of one."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_describe)
