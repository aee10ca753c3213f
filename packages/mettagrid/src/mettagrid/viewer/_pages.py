"""The built pages, and the standalone file that holds a page and a replay."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mettagrid.viewer._source import ReplaySource
from mettagrid.viewer.errors import PagesMissing

_SCRIPT = re.compile(r'<script type="module"[^>]*\ssrc="\./([^"]+)"[^>]*></script>')
_STYLE = re.compile(r'<link rel="stylesheet"[^>]*\shref="\./([^"]+)"[^>]*>')


def pages_folder() -> Path:
    """Return the folder that holds `index.html` and its files; raises `PagesMissing` if there is none."""
    folder = Path(__file__).parent / "pages"
    if not (folder / "index.html").is_file():
        raise PagesMissing
    return folder


def page_with(source: ReplaySource) -> str:
    """Return a page that contains the replay, the program and the styles, and needs no server and no network."""
    template = page_template()
    data = base64.b64encode(source.data).decode()
    kind = 'type="application/octet-stream;base64"'
    holder = f'<script {kind} id="replay-data" data-name="{html.escape(source.name)}">{data}</script>'
    return f"{template.before}{holder}{template.after}"


def policy(script: str = "'self'", style: str = "'self'", socket: str = "") -> str:
    """Return the Content-Security-Policy of the page: it may run its own program and read replays from anywhere.

    `socket` is the address of the live game that it may connect to.
    """
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src 'self' data: blob:; "
        f"connect-src 'self' {socket} http: https: data: blob:; base-uri 'none'; form-action 'none'"
    )


@dataclass(frozen=True)
class PageTemplate:
    """The text of a standalone page `before` and `after` its replay, for pages that embed the viewer in a frame.

    The replay between them is `<script type="application/octet-stream;base64" id="replay-data" data-name="...">` with
    the bytes of the file. `script_hash` and `style_hash` are sources for the Content-Security-Policy of such a page.
    """

    before: str
    after: str
    script_hash: str
    style_hash: str


@cache
def page_template() -> PageTemplate:
    """Return the standalone page without a replay, with program and styles inlined."""
    folder = pages_folder()
    page = (folder / "index.html").read_text(encoding="utf-8")
    style, script = _STYLE.search(page), _SCRIPT.search(page)
    if style is None or script is None:
        raise PagesMissing
    styles = (folder / style[1]).read_text(encoding="utf-8")
    program = (
        (folder / script[1]).read_text(encoding="utf-8").replace("</script", "<\\/script").replace("<!--", "<\\!--")
    )
    allowed = policy(_hash(program), _hash(styles))
    page = page.replace(script[0], "")
    page = page.replace(
        style[0], f'<meta http-equiv="Content-Security-Policy" content="{allowed}"><style>{styles}</style>'
    )
    head, end, tail = page.rpartition("</body>")
    return PageTemplate(head, f'<script type="module">{program}</script>{end}{tail}', _hash(program), _hash(styles))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
