"""Directions as the engine numbers them."""

from enum import Enum


class Orientation(Enum):
    """Eight directions; the value is the engine's code."""

    NORTH = 0
    SOUTH = 1
    WEST = 2
    EAST = 3
    NORTHWEST = 4
    NORTHEAST = 5
    SOUTHWEST = 6
    SOUTHEAST = 7


N, S, W, E = Orientation.NORTH, Orientation.SOUTH, Orientation.WEST, Orientation.EAST
NW, NE, SW, SE = Orientation.NORTHWEST, Orientation.NORTHEAST, Orientation.SOUTHWEST, Orientation.SOUTHEAST
