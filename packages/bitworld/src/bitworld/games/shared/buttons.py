"""The buttons of a player, as bits of the mask that the wire and replays carry."""

from typing import NamedTuple

__all__ = ["BUTTON_A", "BUTTON_B", "DOWN", "LEFT", "RIGHT", "SELECT", "UP", "Input"]

UP, DOWN, LEFT, RIGHT, SELECT, BUTTON_A, BUTTON_B = (1 << bit for bit in range(7))


class Input(NamedTuple):
    """The buttons of one player in one tick."""

    held: int = 0
    pressed: int = 0
    """buttons that were not held in the tick before"""

    @property
    def dx(self) -> int:
        """-1 for left, 1 for right, 0 for neither or both."""
        return bool(self.held & RIGHT) - bool(self.held & LEFT)

    @property
    def dy(self) -> int:
        """-1 for up, 1 for down, 0 for neither or both."""
        return bool(self.held & DOWN) - bool(self.held & UP)
