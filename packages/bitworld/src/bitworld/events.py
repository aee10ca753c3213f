"""What happened in a game, in words: for the list and the time line of a replay page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bitworld.game import Game

__all__ = ["Event", "Watcher"]


@dataclass(frozen=True, slots=True)
class Event:
    kind: str
    """`phase`, `join`, `leave`, `chat`, or a word of the game: `kill`, `meeting`, `vote`, `ejection`, `task`, `win`"""
    text: str
    """one line; the name of the phase for a phase, the message for a chat"""
    player: str = ""
    """the name of the player that acted, if there is one"""


class Watcher:
    """Names the events of one game. It sees every step of it in order; games with events of their own extend it."""

    def look(self, game: "Game", masks: Sequence[int]) -> list[Event]:
        """Return the events of the last step. `masks` has the buttons that each player held in it."""
        return []

    def colour(self, game: "Game", player: int) -> int | None:
        """Return the colour of a player, an index of the palette; None if the game does not say."""
        return None
