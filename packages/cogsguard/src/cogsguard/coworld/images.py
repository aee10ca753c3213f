"""Image names by which runners know the programs of this package."""

__all__ = ["GAME_IMAGE", "PLAYER_IMAGE"]

GAME_IMAGE = "cogsguard/coworld:latest"
PLAYER_IMAGE = "cogsguard/policy-player:latest"
