"""The frame of the report: style, script, the viewer and the replays as inert data.

The viewer is in the file once. A click puts it together with one replay in a sandboxed frame.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from cogames.ladder.report_style import STYLE
from cogames.reports.html import Markup, tag
from mettagrid.viewer import PagesMissing, PageTemplate, page_template

__all__ = ["built_viewer", "document", "replay_data", "viewer_data"]

SCRIPT = """
const byId = (id) => document.getElementById(id);
const dialog = byId("player"), frame = byId("frame");
function watch(game) {
  const replay = byId("replay-" + game), viewer = byId("viewer");
  if (!replay || !viewer) return;
  const [before, after] = JSON.parse(viewer.textContent);
  const holder = '<script type="application/octet-stream;base64" id="replay-data" data-name="' + game + '.cogreplay">';
  frame.srcdoc = before + holder + replay.textContent + "</" + "script>" + after;
  byId("playing").textContent = replay.dataset.caption;
  dialog.showModal();
}
for (const button of document.querySelectorAll("[data-replay]")) {
  button.addEventListener("click", () => watch(button.dataset.replay));
}
byId("close").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", () => frame.removeAttribute("srcdoc"));
if (location.hash.startsWith("#replay=")) watch(location.hash.slice(8));
"""

_PLAYER = Markup(
    '<dialog id="player" aria-labelledby="playing"><div class="bar-top"><span id="playing"></span>'
    '<button id="close" type="button">Close</button></div>'
    '<iframe id="frame" title="Replay" sandbox="allow-scripts allow-downloads" allowfullscreen></iframe></dialog>'
)


def built_viewer() -> PageTemplate | None:
    """Return the viewer; None if its pages have not been built."""
    try:
        return page_template()
    except PagesMissing:
        return None


def document(title: str, *children: object, viewer: PageTemplate | None, data: Sequence[Markup]) -> str:
    """Return the whole page. Its policy allows only its own script, its own style and those of the viewer."""
    scripts, styles = ("", "") if viewer is None else (viewer.script_hash, viewer.style_hash)
    allowed = (
        f"default-src 'none'; script-src {_hash(SCRIPT)} {scripts}; "
        f"style-src {_hash(STYLE)} {styles}; img-src data: blob:; connect-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{allowed}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", title),
        tag("style", Markup(STYLE)),
    )
    body = tag("body", tag("main", *children), _PLAYER, *data, tag("script", Markup(SCRIPT)))
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def replay_data(game: str, caption: str, path: Path) -> Markup:
    """Return a replay as inert data."""
    data = Markup(base64.b64encode(path.read_bytes()).decode())
    return tag("script", data, type="application/octet-stream;base64", id=f"replay-{game}", data_caption=caption)


def viewer_data(viewer: PageTemplate) -> Markup:
    """Return the viewer as inert data: the texts before and after the replay."""
    text = json.dumps([viewer.before, viewer.after]).replace("<", "\\u003c")
    return tag("script", Markup(text), type="application/json", id="viewer")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
