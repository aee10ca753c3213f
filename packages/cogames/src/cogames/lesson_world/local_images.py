"""The command of our image on a machine without containers; `coworld` imports this through an entry point."""

from cogames.lesson_world.images import GAME_IMAGE
from coworld.engines.local_images import register

__all__: list[str] = []

register(GAME_IMAGE, ["python", "-m", "cogames.lesson_world"], packages=["cogames", "cogsguard", "mettagrid"])
