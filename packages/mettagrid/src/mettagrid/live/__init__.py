"""A game that goes on while people watch it, drive cogs in it, and ask what would have happened otherwise.

    from mettagrid.live import LiveGame, LiveServer

    with LiveGame(plan, title="arena") as game, LiveServer(game) as server:
        game.start()
        print(server.address)  # open it in a browser
        outcome = game.wait()

`python -m mettagrid.live` shows a small game. `docs/concepts/live.md` tells how it works.
"""

from typing import TYPE_CHECKING

from mettagrid.live._clock import Clock, TickMode
from mettagrid.live._controls import Controls, Seat
from mettagrid.live._feed import Feed
from mettagrid.live._game import Line, Lines, LiveGame
from mettagrid.live._renderer import LiveRenderer
from mettagrid.live._tokens import Grant, Rights
from mettagrid.live.errors import BadOrder, BranchFailed, LiveError, NotDriving, SlotTaken

if TYPE_CHECKING:
    from mettagrid.live._play import play_live
    from mettagrid.live._server import LiveServer

__all__ = [
    "BadOrder",
    "BranchFailed",
    "Clock",
    "Controls",
    "Feed",
    "Grant",
    "Line",
    "Lines",
    "LiveError",
    "LiveGame",
    "LiveRenderer",
    "LiveServer",
    "NotDriving",
    "Rights",
    "Seat",
    "SlotTaken",
    "TickMode",
    "play_live",
]


def __getattr__(name: str) -> object:
    if name == "LiveServer":  # both need libraries that views in a terminal do without
        from mettagrid.live._server import LiveServer

        return LiveServer
    if name == "play_live":
        from mettagrid.live._play import play_live

        return play_live
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
