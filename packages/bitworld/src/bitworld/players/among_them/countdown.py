"""Count the kill cooldown, whose length no screen shows."""

__all__ = ["Countdown"]

GAP = 8
"""ticks without a look at the map after which a meeting, or the start of the game, has set the cooldown again"""


class Countdown:
    """Call `look` at every look at the map."""

    def __init__(self, expected: int, least: int) -> None:
        """`expected` is the length until one was seen; `least` is what this player waits if it is shorter."""
        self._length = expected
        self._least = least
        self._began = 0
        self._last: int | None = None
        self._was_ready = False

    def look(self, tick: int, *, is_ready: bool) -> None:
        is_new = self._last is None or tick - self._last > GAP
        if is_new or (self._was_ready and not is_ready):
            self._began = tick
        elif is_ready and not self._was_ready:
            self._length = tick - self._began  # the true length
        self._last, self._was_ready = tick, is_ready

    def left(self, tick: int) -> int:
        """Return the ticks until this player kills, as far as it can know."""
        length = 0 if self._was_ready else self._length
        return max(self._began + max(length, self._least) - tick, 0)
