"""What can go wrong in a live game.

LiveError (a RuntimeError)
├── NotDriving        somebody acts for a cog that is not theirs to drive
├── SlotTaken         somebody else drives the cog already
├── BadOrder          an order, action, speed or mode that the game does not have
├── Refused           somebody is not let in
└── BranchFailed      a branch could not be made; the message says why
"""

from __future__ import annotations

__all__ = ["BadOrder", "BranchFailed", "LiveError", "NotDriving", "Refused", "SlotTaken"]


class LiveError(RuntimeError):
    """Anything that a live game refuses; the message is for the person who asked."""


class NotDriving(LiveError):
    """An order for a cog that its sender does not drive."""

    def __init__(self, slot: int) -> None:
        super().__init__(f"You do not drive cog {slot}; take it over first")


class SlotTaken(LiveError):
    """A takeover of a cog that somebody drives."""

    def __init__(self, slot: int, driver: str) -> None:
        super().__init__(f"Cog {slot} is driven by {driver}; wait until it is handed back")


class BadOrder(LiveError):
    """Something asked for that the game does not have."""


class Refused(LiveError):
    """Somebody who must not connect; the sentence is told to them."""


class BranchFailed(LiveError):
    """A branch could not be made."""
