"""Games by name. A package adds its own through the entry-point group `bitworld.games`."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from bitworld.errors import UnknownGame
from bitworld.game import Game

__all__ = ["game_class", "game_names", "new_game"]

GROUP = "bitworld.games"


@cache
def _entries() -> dict[str, Any]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def game_names() -> list[str]:
    return sorted(_entries())


def game_class(name: str) -> type[Game]:
    """Return the class of a game. Raises `UnknownGame` with the names there are."""
    if name not in _entries():
        raise UnknownGame(f"There is no BitWorld game {name!r}; the games are {', '.join(game_names())}")
    loaded: type[Game] = _entries()[name].load()
    return loaded


def new_game(name: str, config: Mapping[str, Any] | None = None) -> Game:
    return game_class(name)(config)
