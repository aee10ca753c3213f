"""The seats document, which lists the players for a game that hosts them itself."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_serializer, model_validator
from pydantic.functional_serializers import SerializerFunctionWrapHandler

from coworld.schema.base import BrokenRule, DocumentModel, Text

__all__ = [
    "CoworldPlayHumanSeat",
    "CoworldPlayPolicySeat",
    "CoworldPlayerSeat",
    "CoworldPlayerSeats",
    "CoworldPlayerSeatsSchema",
]

CoworldPlayerSeatsSchema = Literal["coworld-player-seats/1", "coworld-player-seats/2", "coworld-play-seats/1"]


class CoworldPlayerSeat(DocumentModel):
    """One seat with a file in it."""

    slot: Annotated[int, Field(ge=0)]
    file_uri: Text = Field(description="Where the file is.")
    content_hash: Annotated[str, StringConstraints(pattern="^sha256:[0-9a-f]{64}$")]
    size_bytes: Annotated[int, Field(ge=0)]
    log_uri: Text = Field(description="Where the game writes the seat's log; it must exist in the end.")
    annotations_uri: str | None = Field(default=None, description="Where annotations go; only in version 2.")
    artifact_uri: Text = Field(description="Where the seat's artifact goes.")

    @model_serializer(mode="wrap")
    def without_absent_annotations(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out absent annotations: version 1 must not have the key, not even as null."""
        written = handler(self)
        if self.annotations_uri is None:
            written.pop("annotations_uri", None)
        return written


class CoworldPlayPolicySeat(CoworldPlayerSeat):
    """One seat with a file in it, among people."""

    kind: Literal["policy"] = "policy"


class CoworldPlayHumanSeat(DocumentModel):
    """One seat with a person in it."""

    slot: Annotated[int, Field(ge=0)]
    kind: Literal["human"] = "human"


class CoworldPlayerSeats(DocumentModel):
    """All seats of an episode."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    schema_: CoworldPlayerSeatsSchema = Field(alias="schema")
    seats: Annotated[list[CoworldPlayerSeat | CoworldPlayPolicySeat | CoworldPlayHumanSeat], Field(min_length=1)]
    player_status_uri: Text = Field(description="Where the game writes how the players ended.")

    @model_validator(mode="after")
    def validate_version(self) -> Self:
        """Check that only version 2 has annotations."""
        annotated = any(getattr(seat, "annotations_uri", None) is not None for seat in self.seats)
        if self.schema_ == "coworld-player-seats/1" and annotated:
            raise BrokenRule("coworld-player-seats/1 has no annotations", "use coworld-player-seats/2", "schema")
        return self
