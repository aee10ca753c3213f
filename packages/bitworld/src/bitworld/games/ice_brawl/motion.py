"""How bodies slide and bump on ice, with integers only."""

from bitworld.games.ice_brawl.world import CENTRE, DIRECTIONS, ONE, TILE, Body

__all__ = ["bump", "distance", "is_on_ice", "push", "quotient", "slide"]

FRICTION = 236
"""of 256: the part of its speed that a body keeps in a tick"""
MAX_SPEED = 6 * ONE


def quotient(a: int, b: int) -> int:
    """Return a / b, rounded toward zero, so that both directions of an axis are alike."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def slide(body: Body) -> None:
    """Move a body by its speed, which decreases."""
    body.x += body.vx
    body.y += body.vy
    body.vx = quotient(body.vx * FRICTION, 256)
    body.vy = quotient(body.vy * FRICTION, 256)


def push(body: Body, direction: int, speed: int) -> None:
    """Add speed in one of the 16 directions."""
    x, y = DIRECTIONS[direction]
    body.vx = max(-MAX_SPEED, min(MAX_SPEED, body.vx + quotient(x * speed, 256)))
    body.vy = max(-MAX_SPEED, min(MAX_SPEED, body.vy + quotient(y * speed, 256)))


def distance(a: Body, b: Body) -> int:
    """Return the square of the distance, in pixels."""
    dx, dy = (a.x - b.x) // ONE, (a.y - b.y) // ONE
    return dx * dx + dy * dy


def bump(body: Body, other: Body, extra: int) -> None:
    """Knock `body` away from `other`: more than elastically, with some extra speed."""
    dx, dy = (body.x - other.x) // ONE, (body.y - other.y) // ONE
    if dx == dy == 0:
        dx = 1
    square = dx * dx + dy * dy
    approach = (other.vx - body.vx) * dx + (other.vy - body.vy) * dy
    # The longer side stands for the length of the normal: exact square roots are not worth their cost here.
    length = max(abs(dx), abs(dy))
    if approach > 0:
        body.vx += quotient(approach * dx * 5, square * 4)
        body.vy += quotient(approach * dy * 5, square * 4)
    body.vx = max(-MAX_SPEED, min(MAX_SPEED, body.vx + quotient(extra * dx, length)))
    body.vy = max(-MAX_SPEED, min(MAX_SPEED, body.vy + quotient(extra * dy, length)))


def is_on_ice(body: Body, side: int) -> bool:
    reach = side * TILE * ONE // 2
    return abs(body.x - CENTRE) <= reach and abs(body.y - CENTRE) <= reach
