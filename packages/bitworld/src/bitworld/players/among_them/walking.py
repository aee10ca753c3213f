"""Turn a place to go to into buttons."""

from bitworld.players.among_them.routes import LOOK_AHEAD, Routes
from bitworld.players.among_them.sight import Figure
from bitworld.wire.player import Button

__all__ = ["buttons_toward", "walk"]


def walk(
    routes: Routes,
    me: Figure,
    target: tuple[int, int],
    *,
    slack: int = 1,
    is_moving: bool = False,
    look_ahead: int = LOOK_AHEAD,
) -> int:
    """Return the buttons for the way to a target; none within `slack` pixels. Ghosts go straight through walls."""
    point = (
        target if me.is_ghost else routes.next_point((me.x, me.y), target, is_moving=is_moving, look_ahead=look_ahead)
    )
    return buttons_toward((me.x, me.y), point, slack if point == target else 1)


def buttons_toward(place: tuple[int, int], point: tuple[int, int], slack: int = 1) -> int:
    across, down = point[0] - place[0], point[1] - place[1]
    mask = 0
    if abs(across) > slack:
        mask |= Button.RIGHT if across > 0 else Button.LEFT
    if abs(down) > slack:
        mask |= Button.DOWN if down > 0 else Button.UP
    return int(mask)
