"""The names under which the programs of this package are known to runners."""

__all__ = ["GAME_IMAGE", "PLAYER_IMAGE"]

GAME_IMAGE = "cogsguard/coworld:latest"
PLAYER_IMAGE = "cogsguard/policy-player:latest"
