"""The built pages, and the one file that holds a page and a replay together."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from functools import cache
from pathlib import Path

from mettagrid.viewer._source import ReplaySource
from mettagrid.viewer.errors import PagesMissing

_SCRIPT = re.compile(r'<script type="module"[^>]*\ssrc="\./([^"]+)"[^>]*></script>')
_STYLE = re.compile(r'<link rel="stylesheet"[^>]*\shref="\./([^"]+)"[^>]*>')


def pages_folder() -> Path:
    """The folder that holds `index.html` and what it needs; `PagesMissing` when there is none."""
    folder = Path(__file__).parent / "pages"
    if not (folder / "index.html").is_file():
        raise PagesMissing
    return folder


def page_with(source: ReplaySource) -> str:
    """A page that holds the replay, the program and the styles: it needs nothing else, no server and no network."""
    head, program = _whole_page()
    data = base64.b64encode(source.data).decode()
    kind = 'type="application/octet-stream;base64"'
    holder = f'<script {kind} id="replay-data" data-name="{html.escape(source.name)}">{data}</script>'
    return f"{head}{holder}{program}"


def policy(script: str = "'self'", style: str = "'self'", socket: str = "") -> str:
    """What the page may do: run its own program, and read replays from anywhere, but nothing else.

    `socket` is the address of the live game that it may talk to.
    """
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src 'self' data: blob:; "
        f"connect-src 'self' {socket} http: https: data: blob:; base-uri 'none'; form-action 'none'"
    )


@cache
def _whole_page() -> tuple[str, str]:
    """(all before the replay, all after it), with program and styles inside."""
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
    return head, f'<script type="module">{program}</script>{end}{tail}'


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
