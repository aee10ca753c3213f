"""What games written in Python share: settings, seats and accounts, hash and snapshot, images and views."""

from bitworld._native import Random
from bitworld.games.shared.buttons import Input
from bitworld.games.shared.image import Image, block, load_images, text_image
from bitworld.games.shared.python_game import Contestant, PythonGame
from bitworld.games.shared.seated_game import SeatedGame
from bitworld.games.shared.settings import GameSettings, number
from bitworld.games.shared.view import Thing, View

__all__ = [
    "Contestant",
    "GameSettings",
    "Image",
    "Input",
    "PythonGame",
    "Random",
    "SeatedGame",
    "Thing",
    "View",
    "block",
    "load_images",
    "number",
    "text_image",
]
