"""The base of all request bodies."""

from pydantic import BaseModel, ConfigDict

__all__ = ["Body"]


class Body(BaseModel):
    """A request body. An unknown field is rejected with 422 and its name.

    A misspelt field would otherwise be dropped silently, and its default used.
    """

    model_config = ConfigDict(extra="forbid")
