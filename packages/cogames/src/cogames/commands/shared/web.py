"""Open pages of a league server: `--web`."""

from __future__ import annotations

import os
import sys
from typing import Annotated
from urllib.parse import quote

import typer

from cogames.commands.shared.server import OUTPUT
from softmax.cli.output import note

__all__ = ["Web", "open_page", "why_no_browser"]

Web = Annotated[
    bool,
    typer.Option("--web", help="Open its page in the browser, or print the address.", rich_help_panel=OUTPUT),
]


def open_page(server: str | None, login_server: str | None, *parts: object) -> None:
    """Open a page of the server's site, such as `matches, ID`; print its address if there is no browser."""
    from cogames.client import resolve_addresses
    from softmax.client.addresses import home_page

    site = home_page(resolve_addresses(server, login_server).login).removesuffix("/home")
    page = "/".join([site, *(quote(str(part), safe=":") for part in parts)])
    if why_no_browser() is None:
        import webbrowser

        if webbrowser.open(page):
            note(f"Opening {page}")
            return
    print(page)


def why_no_browser() -> str | None:
    """Return why no browser can be opened; None if one can."""
    if sys.platform not in ("darwin", "win32") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return "no GUI display detected"
    return None if sys.stdin.isatty() else "stdin is not a terminal"
