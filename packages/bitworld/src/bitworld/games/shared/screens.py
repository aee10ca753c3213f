"""What all games show over their map: the lobby, the ranking, the list of scores."""

from collections.abc import Sequence

from bitworld.game import Seat
from bitworld.games.shared.image import block
from bitworld.games.shared.view import View
from bitworld.picture import SLOT_COLOURS

__all__ = ["lobby", "ranking", "score_list", "spectator"]

_LINE = 9
_MAX_LINES = 10


def lobby(view: View, title: str, players: int, needed: int) -> View:
    _panel(view, 40, 48)
    view.write_centred(title.upper(), 46, 8)
    view.write_centred("WAITING FOR PLAYERS", 60, 2)
    view.write_centred(f"{players} OF {needed}", 72, 7)
    return view


def ranking(view: View, seats: Sequence[Seat], scores: Sequence[int]) -> View:
    """Show the players in order of score."""
    order = sorted(range(len(seats)), key=lambda number: (-scores[number], number))[:_MAX_LINES]
    height = 18 + _LINE * len(order)
    top = (128 - height) // 2
    _panel(view, top, height)
    view.write_centred("GAME OVER", top + 2, 8)
    for line, number in enumerate(order):
        _row(view, seats[number], scores[number], 14, 112, top + 14 + _LINE * line)
    return view


def score_list(view: View, seats: Sequence[Seat], scores: Sequence[int]) -> View:
    """Show the score of every player, for the map viewer."""
    view.screen = []
    for number, seat in enumerate(seats):
        _row(view, seat, scores[number], 2, 100, 2 + _LINE * number)
    return view


def spectator(view: View, title: str) -> View:
    view.screen = []
    _panel(view, 48, 32)
    view.write_centred(title.upper(), 52, 8)
    view.write_centred("GAME IN PROGRESS", 66, 2)
    return view


def _row(view: View, seat: Seat, score: int, left: int, right: int, y: int) -> None:
    view.show(block(5, 5, 0), left, y + 2)
    view.show(block(3, 3, SLOT_COLOURS[seat.slot]), left + 1, y + 3)
    view.write(seat.name[:14], left + 7, y, 2)
    view.write_right(str(score), right, y, 8)


def _panel(view: View, top: int, height: int) -> None:
    view.show(block(112, height, 12), 8, top)
