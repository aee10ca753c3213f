"""The commands of our images on a machine without containers; `coworld` imports this through an entry point."""

from bitworld.coworld.images import GAME_IMAGE, PLAYER_IMAGE
from coworld.engines.local_images import register

__all__: list[str] = []

register(GAME_IMAGE, ["python", "-m", "bitworld.coworld"], packages=["bitworld"])
register(PLAYER_IMAGE, ["python", "-m", "bitworld.coworld.player"], packages=["bitworld"])
