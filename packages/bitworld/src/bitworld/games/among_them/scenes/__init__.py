"""Among Them as sprite scenes: the map for spectators, and the view of a player. Numbers and labels are published."""

from bitworld.games.among_them.scenes.player import player_scene
from bitworld.games.among_them.scenes.spectator import Trails, public_scene, spectator_scene

__all__ = ["Trails", "player_scene", "public_scene", "spectator_scene"]
