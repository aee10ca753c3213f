"""Request and response schemas of commissioners."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from observatory.wire import Body

__all__ = [
    "CommissionerConversation",
    "CommissionerMessageRow",
    "CommissionerStatus",
    "Connected",
    "ConnectionClosed",
    "FetchRequest",
    "Fetched",
    "MessageReceived",
    "MessageTaken",
]


class Connected(BaseModel):
    """A connection to a new program of a commissioner."""

    connection: int | None = Field(description="its number; null if the conversation is over")


class MessageReceived(Body):
    """A message that a commissioner sent."""

    connection: int = Field(ge=1)
    number: int = Field(ge=1, description="counts the commissioner's messages on this connection, from 1")
    text: str


class MessageTaken(BaseModel):
    is_over: bool = Field(description="whether the conversation is over, so that the program can be stopped")


class FetchRequest(Body):
    """A request for the messages to a commissioner."""

    connection: int = Field(ge=1)
    after: int = Field(ge=0, description="number of the last message that was passed on; 0 for none")
    wait_seconds: float = Field(default=0, ge=0, le=20, description="how long to wait for a message")


class Fetched(BaseModel):
    messages: list[str] = Field(description="numbered from `after` + 1 on")
    is_over: bool = Field(description="whether the conversation is over after these messages")


class ConnectionClosed(Body):
    """A program ended, or never answered, before the conversation was over."""

    connection: int | None = Field(default=None, ge=1, description="null if there was no connection")
    reason: str = Field(max_length=4000)
    is_refusal: bool = Field(default=False, description="it closed the socket because it did not accept a message")


class CommissionerConversation(BaseModel):
    """A conversation with a commissioner."""

    id: str
    phase: str
    status: str
    round_id: str | None
    connections: int = Field(description="how often its program was started")
    error: str | None
    created_at: datetime
    completed_at: datetime | None


class CommissionerStatus(BaseModel):
    """The commissioner of a league."""

    league_id: str
    commissioner_key: str
    coworld_id: str | None = Field(description="the version of the game whose manifest names the program")
    runnable_id: str | None = Field(description="id of the program in the manifest")
    image: str | None
    is_migrated: bool = Field(description="whether the league has followed it since its last change")
    scheduled_at: datetime | None = Field(description="when it was last asked for rounds")
    problem: str | None = Field(description="why the last conversation failed, or why there is no program")
    conversations: list[CommissionerConversation] = Field(description="the last ones, newest first")


class CommissionerMessageRow(BaseModel):
    """A message from or to a commissioner."""

    id: str
    connection: int
    number: int
    from_commissioner: bool
    message_type: str
    content: dict[str, Any]
    created_at: datetime
