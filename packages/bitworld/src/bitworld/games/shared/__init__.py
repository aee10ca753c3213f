"""What games written in Python share: settings, seats and accounts, hash and snapshot, images and views."""

from bitworld.games.shared.buttons import Input
from bitworld.games.shared.image import Image, load_images, text_image
from bitworld.games.shared.python_game import Contestant, PythonGame
from bitworld.games.shared.settings import GameSettings
from bitworld.games.shared.view import Thing, View

__all__ = [
    "Contestant",
    "GameSettings",
    "Image",
    "Input",
    "PythonGame",
    "Thing",
    "View",
    "load_images",
    "text_image",
]
