"""Learn games from their pictures: a small convolutional network and PPO, with the losses of the trainer.

The trainer of `cogames train` sees tokens of a grid world. Pixel games have pictures and one action, so their loop is
this small one; it takes any Gymnasium vector environment with pictures of 16 colours.
"""

from cogames_training.pictures.network import PictureNetwork
from cogames_training.pictures.ppo import Epoch, PictureArgs, learn
from cogames_training.pictures.scores import Scores, play

__all__ = ["Epoch", "PictureArgs", "PictureNetwork", "Scores", "learn", "play"]
