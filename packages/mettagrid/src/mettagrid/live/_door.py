"""The interface between an episode and the people who watch it while it is played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

__all__ = ["LiveDoor", "LiveFeed", "LivePiece"]


class LivePiece(Protocol):
    """Messages for people who watch, up to a tick, and when that tick was played by the monotonic clock."""

    @property
    def tick(self) -> int: ...
    @property
    def played_at(self) -> float: ...
    @property
    def messages(self) -> Sequence[bytes]: ...


class LiveFeed(Protocol):
    """The recording of an episode that is being played. One thread reads it."""

    @property
    def has_ended(self) -> bool: ...
    @property
    def has_more(self) -> bool: ...
    def mark_soon(self) -> None: ...
    def read(self) -> Iterable[LivePiece]: ...
    def rewind(self) -> None: ...


class LiveDoor(Protocol):
    """The way from an episode to people who watch it."""

    @property
    def hides_secrets(self) -> bool:
        """Return whether people must not learn secrets of the game, such as roles, while it is played."""

    def show(self, feed: LiveFeed) -> None:
        """Let people watch what a feed has."""
