"""The errors of a live game.

LiveError (a RuntimeError)
├── NotDriving        a client acts for a cog that it does not drive
├── SlotTaken         another driver has the cog already
├── BadOrder          an order, action, speed or mode that the game does not have
├── Refused           a client has no access
└── BranchFailed      a branch could not be created; the message says why
"""

from __future__ import annotations

__all__ = ["BadOrder", "BranchFailed", "LiveError", "NotDriving", "Refused", "SlotTaken"]


class LiveError(RuntimeError):
    """A request that a live game refuses; the message is for the user."""


class NotDriving(LiveError):
    """An order for a cog that its sender does not drive."""

    def __init__(self, slot: int) -> None:
        super().__init__(f"You do not drive cog {slot}; take it over first")


class SlotTaken(LiveError):
    """A takeover of a cog that another driver has."""

    def __init__(self, slot: int, driver: str) -> None:
        super().__init__(f"Cog {slot} is driven by {driver}; wait until it is handed back")


class BadOrder(LiveError):
    """A request for something that the game does not have."""


class Refused(LiveError):
    """A connection without access; the message is sent to the client."""


class BranchFailed(LiveError):
    """A branch could not be created."""
