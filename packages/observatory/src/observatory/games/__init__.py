"""The games of the league, behind one interface: the server imports no game and no engine.

A distribution offers an engine with an entry point whose name is the `game_engine` of its environments:

    [project.entry-points."observatory.games"]
    mettagrid = "cogames.league.game:GAME"

- `interface`: what the server and its workers ask of a game
- `coworlds`: what the server asks of third-party games behind a manifest
- `finding`: the installed games
"""

from observatory.games.finding import DEFAULT_ENGINE, GameMissing, engine_of, find, installed, season_game
from observatory.games.interface import (
    ERROR_INFO,
    RESULTS,
    Game,
    LiveDoor,
    LiveFeed,
    OutputFile,
    PolicyToPlay,
    SeasonGame,
)

__all__ = [
    "DEFAULT_ENGINE",
    "ERROR_INFO",
    "RESULTS",
    "Game",
    "GameMissing",
    "LiveDoor",
    "LiveFeed",
    "OutputFile",
    "PolicyToPlay",
    "SeasonGame",
    "engine_of",
    "find",
    "installed",
    "season_game",
]
