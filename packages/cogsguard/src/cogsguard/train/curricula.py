"""Rotations: environments in turn."""

from collections import deque
from collections.abc import Sequence

from mettagrid.cogame.errors import MissionError
from mettagrid.config.mettagrid_config import MettaGridConfig


class RotationSupplier:
    """Returns the next environment at each call. Pickling keeps its place in the order."""

    def __init__(self, missions: Sequence[tuple[str, MettaGridConfig]]) -> None:
        if not missions:
            raise MissionError("A rotation needs at least one environment.")
        self._entries = deque(missions)

    def names(self) -> list[str]:
        """Return the names in the order of the next calls."""
        return [name for name, _ in (*list(self._entries)[1:], self._entries[0])]

    def __call__(self) -> MettaGridConfig:
        """Return a copy of the next environment; the first call returns the second entry."""
        self._entries.rotate(-1)
        return self._entries[0][1].model_copy(deep=True)


def make_rotation(missions: Sequence[tuple[str, MettaGridConfig]]) -> RotationSupplier:
    """Return a supplier that cycles through named environments."""
    return RotationSupplier(missions)
