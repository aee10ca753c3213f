"""The static pages: `/client/NAME`, also under `/clients/`, and without `.html`."""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from bitworld.server.requests import NO_CACHE, Response

__all__ = ["PREFIXES", "page"]

PREFIXES = ("/client/", "/clients/")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "application/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
_EXPECTED = ("player.html", "global.html", "replay.html", "rewards.html", "stats.html")
_MISSING = "<!doctype html><title>BitWorld</title><p>The pages of this installation are not built.</p>\n"


def page(path: str) -> Response | None:
    """Return the file of an address, or None if there is none."""
    prefix = next((prefix for prefix in PREFIXES if path.startswith(prefix)), None)
    if prefix is None:
        return None
    name = path.removeprefix(prefix)
    for candidate in (name, f"{name}.html"):
        if candidate in _pages():
            return _response(candidate, _pages()[candidate].read_bytes())
        if candidate in _EXPECTED:
            return _response(candidate, _MISSING.encode())
    return None


@cache
def _pages() -> dict[str, Traversable]:
    """Return the files of the folder and of its subfolders, by relative path."""
    found: dict[str, Traversable] = {}

    def add(folder: Traversable, prefix: str) -> None:
        for item in folder.iterdir():
            if item.is_dir():
                add(item, f"{prefix}{item.name}/")
            elif PurePosixPath(item.name).suffix in _TYPES:
                found[prefix + item.name] = item

    folder = files("bitworld") / "pages"
    if folder.is_dir():
        add(folder, "")
    return found


def _response(name: str, body: bytes) -> Response:
    return Response(200, body, {"Content-Type": _TYPES[PurePosixPath(name).suffix], **NO_CACHE})
