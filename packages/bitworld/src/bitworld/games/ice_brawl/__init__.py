"""Ice brawl: push the others off a platform of ice that shrinks; the last player on it wins the round."""

from bitworld.games.ice_brawl.game import IceBrawl

__all__ = ["IceBrawl"]
