"""Image names by which runners know the programs of this package."""

__all__ = ["GAME_IMAGE", "PLAYER_IMAGE"]

GAME_IMAGE = "bitworld/coworld:latest"
PLAYER_IMAGE = "bitworld/player:latest"
