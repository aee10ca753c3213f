"""Fancy cookout: wash, chop, plate and deliver salads in one kitchen; the player who delivers gets the points."""

from bitworld.games.fancy_cookout.game import FancyCookout

__all__ = ["FancyCookout"]
