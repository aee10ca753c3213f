"""Taking turns among environments."""

from collections import deque
from collections.abc import Sequence

from mettagrid.cogame.errors import MissionError
from mettagrid.config.mettagrid_config import MettaGridConfig


class Rotation:
    """Gives the next environment at each call. It can be pickled, with its place in the order."""

    def __init__(self, entries: Sequence[tuple[str, MettaGridConfig]]) -> None:
        if not entries:
            raise MissionError("A rotation needs at least one environment.")
        self._entries = deque(entries)

    def names(self) -> list[str]:
        """The names in the order of the coming calls."""
        return [name for name, _ in (*list(self._entries)[1:], self._entries[0])]

    def __call__(self) -> MettaGridConfig:
        """A copy of the next environment; the first call gives the second entry."""
        self._entries.rotate(-1)
        return self._entries[0][1].model_copy(deep=True)


def make_rotation(entries: Sequence[tuple[str, MettaGridConfig]]) -> Rotation:
    """A supplier that goes round a list of named environments."""
    return Rotation(entries)
