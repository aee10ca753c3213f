"""What every body of a request has in common."""

from pydantic import BaseModel, ConfigDict

__all__ = ["Body"]


class Body(BaseModel):
    """A body that a caller sends. A field that the route does not know is refused with 422 and its name.

    A misspelt field would otherwise be dropped, and its default taken, without a word.
    """

    model_config = ConfigDict(extra="forbid")
