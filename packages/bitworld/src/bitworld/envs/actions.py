"""The 27 actions of trained players: nine directions, each with no button, A or B."""

from operator import index

import numpy as np

from bitworld.games.shared.buttons import BUTTON_A, BUTTON_B, DOWN, LEFT, RIGHT, UP

__all__ = ["ACTION_MASKS", "checked", "masks_of"]

_DIRECTIONS = (0, UP, DOWN, LEFT, RIGHT, UP | LEFT, UP | RIGHT, DOWN | LEFT, DOWN | RIGHT)

ACTION_MASKS = np.array([way | button for way in _DIRECTIONS for button in (0, BUTTON_A, BUTTON_B)], np.uint8)
"""the buttons of each action; action 3 * direction + button"""


def checked(action: object) -> int:
    """Return the number of an action. Raises ValueError or TypeError for anything else."""
    try:
        number = index(action)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"an action must be an integer, not {action!r}") from None
    if not 0 <= number < len(ACTION_MASKS):
        raise ValueError(f"action {number} is not from 0 to {len(ACTION_MASKS) - 1}")
    return number


def masks_of(actions: object, count: int) -> np.ndarray:
    """Return the buttons of `count` actions, uint8 [count]."""
    array = np.asarray(actions)
    if array.dtype.kind not in "iu":
        raise TypeError(f"Actions must be integers, not {array.dtype}")
    if array.shape != (count,):
        raise ValueError(f"Actions must have shape [{count}], not {list(array.shape)}")
    if array.min() < 0 or array.max() >= len(ACTION_MASKS):
        raise ValueError(
            f"Actions must be from 0 to {len(ACTION_MASKS) - 1}; these are from {array.min()} to {array.max()}"
        )
    return ACTION_MASKS[array]
