"""Buttons, and the 27 actions that policies choose from: nine directions, each without a button, with A, with B."""

from collections.abc import Iterable
from enum import IntFlag

import numpy as np


class Button(IntFlag):
    UP = 0x01
    DOWN = 0x02
    LEFT = 0x04
    RIGHT = 0x08
    SELECT = 0x10
    A = 0x20
    B = 0x40


BUTTON_TO_MASK: dict[str, int] = {button.name.lower(): int(button) for button in Button if button.name}
BUTTON_NAMES = tuple(BUTTON_TO_MASK)
BITWORLD_INPUT_MASK_COUNT = 1 << len(BUTTON_NAMES)

DIRECTION_BUTTONS: tuple[tuple[str, ...], ...] = (
    (),
    ("up",),
    ("down",),
    ("left",),
    ("right",),
    ("up", "left"),
    ("up", "right"),
    ("down", "left"),
    ("down", "right"),
)
ACTION_BUTTONS: tuple[str | None, ...] = (None, "a", "b")


def encode_buttons(buttons: Iterable[str]) -> int:
    """Return the mask of button names. Raises `KeyError` for an unknown name."""
    mask = 0
    for button in buttons:
        mask |= BUTTON_TO_MASK[button]
    return mask


def decode_buttons(mask: int) -> tuple[str, ...]:
    """Return the names of the buttons in a mask, in the order of their bits."""
    if not 0 <= mask < BITWORLD_INPUT_MASK_COUNT:
        raise ValueError(f"BitWorld input mask must be in [0, {BITWORLD_INPUT_MASK_COUNT}), got {mask}")
    return tuple(name for name, bit in BUTTON_TO_MASK.items() if mask & bit)


def bitworld_input_mask_name(mask: int) -> str:
    return "+".join(decode_buttons(mask)) or "noop"


_MASKS = tuple(
    encode_buttons(directions) | (0 if button is None else BUTTON_TO_MASK[button])
    for directions in DIRECTION_BUTTONS
    for button in ACTION_BUTTONS
)
BITWORLD_ACTION_MASKS = np.array(_MASKS, np.uint8)
BITWORLD_ACTION_COUNT = len(_MASKS)
BITWORLD_ACTION_NAMES = tuple(map(bitworld_input_mask_name, _MASKS))


def bitworld_action_mask(action_index: int) -> int:
    return _MASKS[_checked(action_index)]


def bitworld_action_name(action_index: int) -> str:
    return BITWORLD_ACTION_NAMES[_checked(action_index)]


def bitworld_action_names() -> list[str]:
    return list(BITWORLD_ACTION_NAMES)


def bitworld_action_index(mask: int) -> int:
    """Return the action that holds exactly these buttons."""
    if mask not in _MASKS:
        raise ValueError(f"BitWorld input mask {mask} is not in the trainable action set")
    return _MASKS.index(mask)


def dpad_action_indices(*, include_noop: bool = True) -> np.ndarray:
    """Return the actions that hold one direction, or (`include_noop`) nothing."""
    return np.array([bitworld_action_index(mask) for mask in dpad_action_masks(include_noop=include_noop)], np.int32)


def dpad_action_masks(*, include_noop: bool = True) -> np.ndarray:
    masks = [Button.UP, Button.DOWN, Button.LEFT, Button.RIGHT]
    return np.array([0, *masks] if include_noop else masks, np.int32)


def _checked(action_index: int) -> int:
    if not 0 <= action_index < BITWORLD_ACTION_COUNT:
        raise ValueError(f"BitWorld action index must be in [0, {BITWORLD_ACTION_COUNT}), got {action_index}")
    return action_index
