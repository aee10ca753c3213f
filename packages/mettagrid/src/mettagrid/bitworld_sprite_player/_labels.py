"""The labels of sprites say what they show."""

import numpy as np

PLAYER_COLOR_NAMES = [
    "red",
    "orange",
    "yellow",
    "light blue",
    "pink",
    "lime",
    "blue",
    "pale blue",
    "gray",
    "white",
    "dark brown",
    "brown",
    "dark teal",
    "green",
    "dark navy",
    "black",
]
"""by slot"""
PLAYER_COLORS = np.array([3, 7, 8, 14, 4, 11, 13, 15, 1, 2, 5, 6, 9, 10, 12, 0], dtype=np.uint8)
"""index in the palette, by slot"""

_WHOLE = {
    "map": "map",
    "task bubble": "task",
    "task arrow": "arrow",
    "imposter icon": "imposter",
    "imposter icon cooldown": "imposter_cooldown",
    "ghost icon": "ghost_icon",
    "player screen": "screen",
}
_STARTS = {"task counter ": "counter", "progress bar ": "progress"}
_ACTORS = {"selected player ": "player", "selected ghost ": "ghost", "player ": "player", "ghost ": "ghost"}
_SIDES = (" right", " left")


def color_index_from_name(name: str) -> int:
    """Return the slot with a colour name, or -1."""
    lowered = name.lower().strip()
    return PLAYER_COLOR_NAMES.index(lowered) if lowered in PLAYER_COLOR_NAMES else -1


def actor_color_name(label: str, prefix: str) -> str:
    """Return the colour in a label such as `player light blue left`."""
    name = label[len(prefix) :].lower().strip()
    for side in _SIDES:
        name = name.removesuffix(side).strip()
    return name


def classify_sprite_player_sprite(label: str) -> tuple[str, int, bool]:
    """Return the kind of a sprite, the slot of its colour (-1 for none), and whether it looks left."""
    lowered = label.lower()
    if lowered in _WHOLE:
        return _WHOLE[lowered], -1, False
    for start, kind in _STARTS.items():
        if lowered.startswith(start):
            return kind, -1, False
    if lowered.startswith("body "):
        return "body", color_index_from_name(lowered.removeprefix("body ")), False
    for start, kind in _ACTORS.items():
        if lowered.startswith(start):
            return kind, color_index_from_name(actor_color_name(lowered, start)), lowered.endswith(" left")
    return ("text" if label else "unknown"), -1, False
