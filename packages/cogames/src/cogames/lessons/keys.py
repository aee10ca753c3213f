"""The controls of a view, in the words of the lessons."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BROWSER", "TERMINAL", "Keys"]


@dataclass(frozen=True)
class Keys:
    """Parts of sentences about controls: "Move with {move}.", "To let time pass, {wait}."."""

    move: str
    look: str
    inspect: str
    territory: str
    wait: str
    take_over: str
    hand_back: str
    vibe: str
    leave: str


TERMINAL = Keys(
    move="w a s d",
    look="p, then i j k l move the map; f follows the cog again",
    inspect="press t and move the cursor with i j k l",
    territory="press o",
    wait="press r to rest a step, or space to let time run",
    take_over="choose a cog with [ and ], press m, and move it",
    hand_back="press m again",
    vibe="press e, type its name, Enter",
    leave="press q",
)

BROWSER = Keys(
    move="W A S D or the arrow keys",
    look="drag the map, turn the wheel",
    inspect="click it with Alt held down",
    territory="it is coloured on the map",
    wait="press X to rest a step, or Space to let time run",
    take_over="click a cog, press Shift+D, and move it",
    hand_back="press H",
    vibe="press E and choose it",
    leave="press Ctrl-C here",
)
