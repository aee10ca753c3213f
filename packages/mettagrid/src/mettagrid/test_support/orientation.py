"""Directions as the engine numbers them."""

from __future__ import annotations

from enum import Enum

__all__ = ["NE", "NW", "SE", "SW", "E", "N", "Orientation", "S", "W"]


class Orientation(Enum):
    """Eight directions; the value is the engine's number, `str` the name in `move_<name>`."""

    NORTH = 0
    SOUTH = 1
    WEST = 2
    EAST = 3
    NORTHWEST = 4
    NORTHEAST = 5
    SOUTHWEST = 6
    SOUTHEAST = 7

    def __str__(self) -> str:
        return self.name.lower()

    @property
    def is_diagonal(self) -> bool:
        """Whether the direction is one of the last four."""
        return self.value >= 4

    def is_valid(self, allow_diagonals: bool = True) -> bool:
        """Return whether a game with or without diagonal moves has the direction."""
        return allow_diagonals or not self.is_diagonal

    def get_opposite(self) -> Orientation:
        """Return the direction half a turn away."""
        return self.get_clockwise().get_clockwise()

    def get_clockwise(self) -> Orientation:
        """Return the direction a quarter turn clockwise."""
        turns = _DIAGONAL_TURNS if self.is_diagonal else _STRAIGHT_TURNS
        return turns[(turns.index(self) + 1) % 4]

    @classmethod
    def get_orientation_count(cls, allow_diagonals: bool = True) -> int:
        """Return the number of directions in a game with or without diagonal moves."""
        return sum(direction.is_valid(allow_diagonals) for direction in cls)


N, S, W, E = Orientation.NORTH, Orientation.SOUTH, Orientation.WEST, Orientation.EAST
NW, NE, SW, SE = Orientation.NORTHWEST, Orientation.NORTHEAST, Orientation.SOUTHWEST, Orientation.SOUTHEAST

_STRAIGHT_TURNS = (N, E, S, W)
_DIAGONAL_TURNS = (NW, NE, SE, SW)
