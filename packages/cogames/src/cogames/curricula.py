"""Compatibility names for training on several missions in rotation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["RotationSupplier", "make_rotation"]


class RotationSupplier:
    """Return the environments of the missions one after the other, forever.

    Each call returns a copy, so that changes to one environment do not reach the next round.
    """

    def __init__(self, missions: list[tuple[str, MettaGridConfig]]) -> None:
        if not missions:
            raise ValueError("A rotation needs at least one mission; got none.")
        self._environments = cycle([config for _, config in missions])

    def __call__(self) -> MettaGridConfig:
        return next(self._environments).model_copy(deep=True)


def make_rotation(missions: list[tuple[str, MettaGridConfig]]) -> Callable[[], MettaGridConfig]:
    """Return a function that supplies the environments of the missions in turn."""
    return RotationSupplier(missions)
