"""Update the terminal by writing only the cells that changed."""

from __future__ import annotations

from mettagrid.terminal.cells import EMPTY, PLAIN, Canvas, Cell
from mettagrid.terminal.colours import Depth, sgr

__all__ = ["Screen"]

_CLEAR = "\x1b[0m\x1b[2J"
# Synchronized output: terminals that support it show everything between the two at once; others ignore it.
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"


class Screen:
    """Tracks the written cells; `forget` makes it write all of them again."""

    def __init__(self, depth: Depth) -> None:
        self._depth = depth
        self._displayed: list[list[Cell]] | None = None

    def forget(self) -> None:
        """Drop the tracked content, because the terminal may show anything now."""
        self._displayed = None

    def update(self, canvas: Canvas) -> str:
        """Return the output that makes the terminal show the canvas; empty if nothing changed."""
        displayed, parts = self._displayed, []
        if displayed is None or len(displayed) != canvas.height or (displayed and len(displayed[0]) != canvas.width):
            parts.append(_CLEAR)
            displayed = [[EMPTY] * canvas.width for _ in range(canvas.height)]
        style = None
        for y, (old, new) in enumerate(zip(displayed, canvas.rows, strict=True)):
            if old == new:
                continue
            at = -1  # the cursor's column in this row, if it is known
            for x, cell in enumerate(new):
                if cell == old[x] or cell.text == "":  # the second half of a wide character is written with the first
                    continue
                if at != x:
                    parts.append(f"\x1b[{y + 1};{x + 1}H")
                if cell.style != style:
                    style = cell.style
                    parts.append(sgr(style, self._depth))
                parts.append(cell.text)
                at = x + 1 if _is_surely_narrow(cell.text) else -1
        self._displayed = [row.copy() for row in canvas.rows]
        if not parts:
            return ""
        if style is not None and style != PLAIN:
            parts.append(sgr(PLAIN, self._depth))
        return _BEGIN + "".join(parts) + _END


def _is_surely_narrow(character: str) -> bool:
    """Return whether every terminal advances by one column; for other characters the cursor must be set again."""
    code = ord(character)
    return code < 0x300 or 0x2500 <= code <= 0x259F
