"""Show a replay as a standalone page, and inside a notebook."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

from mettagrid.viewer._pages import page_with
from mettagrid.viewer._source import read_source

if TYPE_CHECKING:
    from mettagrid.replay import Replay


def write_html(replay: Replay | str | Path, out: str | Path) -> Path:
    """Write one file that shows the replay in any browser, from disk and without a network; return its path.

    Raises `UnreadableReplay` if the file is not a replay, and the usual errors if it does not exist.
    """
    from mettagrid.replay import load_replay

    source = read_source(replay)
    if isinstance(replay, str | Path):
        load_replay(source.data)  # raise here instead of writing a page that only shows an error
    path = Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page_with(source), encoding="utf-8")
    return path


class NotebookView:
    """A replay that a notebook displays when it is the last expression of a cell."""

    def __init__(self, page: str, *, height: int) -> None:
        self._page = page
        self._height = height

    def _repr_html_(self) -> str:
        # The frame is sandboxed: it has no access to the notebook around it.
        return (
            f'<iframe srcdoc="{html.escape(self._page)}" sandbox="allow-scripts allow-downloads" allowfullscreen '
            f'style="width: 100%; height: {self._height}px; border: 1px solid #8884; border-radius: 8px"></iframe>'
        )


def show(replay: Replay | str | Path, *, height: int = 640) -> NotebookView:
    """Return a view of the replay that a notebook displays. `height` is in pixels."""
    return NotebookView(page_with(read_source(replay)), height=height)
