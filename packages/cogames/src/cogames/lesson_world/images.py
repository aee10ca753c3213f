"""Image name by which runners know the game program."""

__all__ = ["GAME_IMAGE"]

GAME_IMAGE = "cogames/lessons:latest"
