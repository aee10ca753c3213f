"""Memory the caller may share with the engine, and a rectangle of the map."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Buffers:
    """Arrays for n agents that the engine reads and writes in place, without copies.

    C-contiguous and of exactly these types: observations uint8 [n, tokens, 3], terminals and truncations bool [n],
    rewards float32 [n], actions, teacher_actions and vibe_actions int32 [n]. The engine does not touch `masks`. Without
    `vibe_actions`, `teacher_actions` takes its place. Making a simulation clears everything but the actions.
    """

    observations: np.ndarray
    terminals: np.ndarray
    truncations: np.ndarray
    rewards: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    teacher_actions: np.ndarray
    vibe_actions: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.vibe_actions is None:
            self.vibe_actions = self.teacher_actions


@dataclass
class BoundingBox:
    """Rows min_row..max_row-1 and columns min_col..max_col-1; with a negative bound it means the whole map."""

    min_row: int
    max_row: int
    min_col: int
    max_col: int
