"""The images of the examples, for engines without containers."""

from coworld.engines.local_images import register

register("softmax/paintarena:latest", ["python", "-m", "coworld.examples.paintarena.game.server"])
register("softmax/paintarena-player:latest", ["python", "-m", "coworld.examples.paintarena.player.player"])
