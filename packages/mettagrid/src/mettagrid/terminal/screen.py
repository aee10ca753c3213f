"""What the terminal shows, brought up to date by writing only what differs."""

from __future__ import annotations

from mettagrid.terminal.cells import EMPTY, PLAIN, Canvas, Cell
from mettagrid.terminal.colours import Depth, sgr

__all__ = ["Screen"]

_CLEAR = "\x1b[0m\x1b[2J"
# Terminals that know it show everything between the two at once; others take no notice.
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"


class Screen:
    """Knows what was written last; `forget` makes it write everything again."""

    def __init__(self, depth: Depth) -> None:
        self._depth = depth
        self._shown: list[list[Cell]] | None = None

    def forget(self) -> None:
        """The terminal may show anything now."""
        self._shown = None

    def update(self, canvas: Canvas) -> str:
        """What to write so that the terminal shows the canvas; the empty string when it does already."""
        shown, parts = self._shown, []
        if shown is None or len(shown) != canvas.height or (shown and len(shown[0]) != canvas.width):
            parts.append(_CLEAR)
            shown = [[EMPTY] * canvas.width for _ in range(canvas.height)]
        style = None
        for y, (old, new) in enumerate(zip(shown, canvas.rows, strict=True)):
            if old == new:
                continue
            at = -1  # the cursor's column in this row, if it is known
            for x, cell in enumerate(new):
                if cell == old[x] or cell.text == "":  # the second half of a wide one is written with the first
                    continue
                if at != x:
                    parts.append(f"\x1b[{y + 1};{x + 1}H")
                if cell.style != style:
                    style = cell.style
                    parts.append(sgr(style, self._depth))
                parts.append(cell.text)
                at = x + 1 if _is_surely_narrow(cell.text) else -1
        self._shown = [row.copy() for row in canvas.rows]
        if not parts:
            return ""
        if style is not None and style != PLAIN:
            parts.append(sgr(PLAIN, self._depth))
        return _BEGIN + "".join(parts) + _END


def _is_surely_narrow(character: str) -> bool:
    """Whether every terminal moves on by one column. About the others they differ, so the cursor is set after them."""
    code = ord(character)
    return code < 0x300 or 0x2500 <= code <= 0x259F
