"""`mettagrid.cogame.game` under its older name."""

from mettagrid.cogame.game import (
    ENTRY_POINT_GROUP,
    CoGame,
    get_game,
    installed_games,
    register_game,
)

__all__ = [
    "ENTRY_POINT_GROUP",
    "CoGame",
    "get_game",
    "installed_games",
    "register_game",
]
