"""Run a game that people watch, take part in and branch while it is being played.

    from mettagrid.live import LiveGame, LiveServer

    with LiveGame(plan, title="arena") as game, LiveServer(game) as server:
        game.start()
        print(server.address)  # open it in a browser
        outcome = game.wait()

`python -m mettagrid.live` shows a small game. `docs/concepts/live.md` explains how it works.
"""

from typing import TYPE_CHECKING

from mettagrid.live._broadcast import Broadcast, Piece
from mettagrid.live._chunks import WHOLE
from mettagrid.live._clock import Clock, TickMode
from mettagrid.live._controls import Controls, Seat
from mettagrid.live._door import LiveDoor, LiveFeed, LivePiece
from mettagrid.live._feed import Feed
from mettagrid.live._game import Goal, Line, Lines, LiveGame
from mettagrid.live._renderer import LiveRenderer
from mettagrid.live._tokens import Grant, Rights
from mettagrid.live.errors import BadOrder, BranchFailed, LiveError, NotDriving, Refused, SlotTaken

if TYPE_CHECKING:
    from mettagrid.live._play import play_live
    from mettagrid.live._requests import Request
    from mettagrid.live._server import LiveServer
    from mettagrid.live._sockets import Conversation, Player, Watcher

__all__ = [
    "WHOLE",
    "BadOrder",
    "BranchFailed",
    "Broadcast",
    "Clock",
    "Controls",
    "Conversation",
    "Feed",
    "Goal",
    "Grant",
    "Line",
    "Lines",
    "LiveDoor",
    "LiveError",
    "LiveFeed",
    "LiveGame",
    "LivePiece",
    "LiveRenderer",
    "LiveServer",
    "NotDriving",
    "Piece",
    "Player",
    "Refused",
    "Request",
    "Rights",
    "Seat",
    "SlotTaken",
    "TickMode",
    "Watcher",
    "play_live",
]


# These need libraries that terminal views do not.
_LATER = {
    "Conversation": "_sockets",
    "LiveServer": "_server",
    "Player": "_sockets",
    "Request": "_requests",
    "Watcher": "_sockets",
    "play_live": "_play",
}


def __getattr__(name: str) -> object:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(f"mettagrid.live.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
