"""Serve the pages: one document for all their URLs, its files, and the replay viewer.

Built from `web/` by `scripts/web.py` and part of the installed package. Browsers cache files with a digest in their
names permanently; they request the document each time.
"""

from __future__ import annotations

import gzip
import uuid
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Path as PathParameter
from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from observatory import games
from observatory.database import SessionDep
from observatory.errors import NotFound, ObservatoryError
from observatory.http.deps import SettingsDep
from observatory.http.frames import frame_sources
from observatory.http.plain_pages import page, paragraph
from observatory.http.routing import Router
from observatory.pages.addresses import page_exists, read_id
from observatory.pages.cards import card_of
from observatory.pages.heads import Feed, Head
from observatory.pages.share_heads import default_head, head_of
from observatory.settings import Settings
from observatory.store import Store

__all__ = ["router"]

router = Router(tags=["pages"], include_in_schema=False)

SITE = Path(__file__).parent / "site"
_HEAD_MARK = "<!-- about this page -->"
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_DOCS = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Alignment League</title>
<link rel="icon" href="/observatory/assets/icon.svg">
<link rel="stylesheet" href="/observatory/assets/{style}">
</head>
<body>
<div id="docs"></div>
<script src="/observatory/assets/{script}"></script>
<script src="/observatory/assets/docs.js"></script>
</body>
</html>
"""
_NO_VERSION = uuid.UUID(int=0)
_FOR_GOOD = "public, max-age=31536000, immutable"
_FOR_AN_HOUR = "public, max-age=3600"
_SAFE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}

FileName = Annotated[str, PathParameter(pattern=r"^[\w.\-]{1,100}$")]
EngineName = Annotated[str, PathParameter(pattern=r"^[a-z]{1,40}$")]


@router.get("/")
def front_door() -> Response:
    """Redirect to the pages."""
    return RedirectResponse("/observatory", 307)


@router.get("/observatory/policies/{policy_version_id}")
def policy_page(policy_version_id: str, request: Request, session: SessionDep, settings: SettingsDep) -> Response:
    """Serve the page document, with link preview metadata of the policy."""
    try:
        card = card_of(session, read_id(policy_version_id) or _NO_VERSION)
    except ObservatoryError:
        head = Head("Alignment League", "There is no such policy here", settings)
        return _document(request, head, status=404)
    picture = f"/observatory/api/policies/{policy_version_id}/card.png"
    path = f"/observatory/policies/{policy_version_id}"
    feed = Feed(f"/observatory/feeds/policies/{policy_version_id}", f"Results of {card.title}")
    return _document(request, Head(card.title, card.sentence, settings, picture=picture, path=path, feed=feed))


@router.get("/docs")
def docs(request: Request) -> Response:
    """Serve the API documentation. Its scripts come from this server, under the same content policy as all pages."""
    script, style = (next((SITE / "assets").glob(f"swagger-ui-*.{kind}"), None) for kind in ("js", "css"))
    if script is None or style is None:
        return _not_built()
    text = _DOCS.format(script=script.name, style=style.name)
    return Response(text, media_type=_KINDS[".html"], headers=_document_headers(request))


@router.get("/observatory/assets/{name}")
def site_file(name: FileName, request: Request) -> Response:
    """Serve a file of the pages."""
    return _file(request, SITE / "assets" / name)


@router.get("/observatory/viewer")
def viewer_door(request: Request) -> Response:
    """Redirect to the viewer's folder, to which its URLs are relative."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/observatory/viewer/{query}", 307)


@router.get("/observatory/viewer/")
def viewer() -> Response:
    """Serve the replay viewer; `?replay=` names the replay."""
    return _viewer(games.season_game())


@router.get("/observatory/viewer/assets/{name}")
def viewer_file(name: FileName, request: Request) -> Response:
    """Serve a file of the viewer."""
    return _viewer_file(request, games.season_game(), name)


@router.get("/observatory/viewer/{engine}/")
def engine_viewer(engine: EngineName) -> Response:
    """Serve the viewer of another engine's matches; `?watch=` names a running match."""
    return _viewer(_viewed_game(engine))


@router.get("/observatory/viewer/{engine}/assets/{name}")
def engine_viewer_file(engine: EngineName, name: FileName, request: Request) -> Response:
    """Serve a file of an engine's viewer."""
    return _viewer_file(request, _viewed_game(engine), name)


def _viewed_game(engine: str) -> games.SeasonGame:
    try:
        return games.season_game(engine)
    except games.GameMissing:
        raise NotFound("Not Found") from None


def _viewer(game: games.SeasonGame) -> Response:
    folder = game.viewer_folder()
    if folder is None:
        return _not_built()
    text = (folder / game.viewer_page).read_bytes()
    policy = f"{game.viewer_policy()}; frame-ancestors 'self'"
    headers = {**_SAFE, "Content-Security-Policy": policy, "Cache-Control": "no-cache"}
    return Response(text, media_type=_KINDS[".html"], headers=headers)


def _viewer_file(request: Request, game: games.SeasonGame, name: str) -> Response:
    folder = game.viewer_folder()
    if folder is None:
        raise NotFound("The viewer was not built")
    return _file(request, folder / "assets" / name)


@router.get("/observatory")
async def front_page(request: Request, settings: SettingsDep) -> Response:
    """Serve the page document of the front page. It needs no session and no thread: most visits begin here."""
    return _document(request, default_head(settings))


@router.get("/observatory/{rest:path}")
def any_page(request: Request, session: SessionDep, settings: SettingsDep, rest: str) -> Response:
    """Serve the page document, whose script routes by URL. An unknown URL gets 404: a page, or JSON for API clients."""
    words = rest.rstrip("/").split("/")
    exists = page_exists(words, request, session)
    if not exists and "text/html" not in request.headers.get("accept", ""):
        raise NotFound("Not Found")
    head = head_of(words, session, settings) if exists else default_head(settings)
    return _document(request, head, status=200 if exists else 404)


def _document(request: Request, head: Head, *, status: int = 200) -> Response:
    built = SITE / "league.html"
    try:
        changed = built.stat()
    except FileNotFoundError:
        return _not_built()
    text = _text_of(built, changed.st_mtime_ns, changed.st_size).replace(_HEAD_MARK, head.html())
    return Response(text, status, media_type=_KINDS[".html"], headers=_document_headers(request))


@lru_cache(maxsize=4)
def _text_of(path: Path, _changed_ns: int, _size: int) -> str:
    """Return the text of a file, read once for each of its versions.

    Each system call of the event loop may wait for a thread that computes; to read the file takes eight.
    """
    return path.read_text(encoding="utf-8")


def _document_headers(request: Request) -> dict[str, str]:
    return {
        **_SAFE,
        "Content-Security-Policy": _policy(request.app.state.settings, request.app.state.store),
        "Cache-Control": "no-cache",
        "X-Frame-Options": "DENY",
    }


def _policy(settings: Settings, store: Store) -> str:
    """Return the content security policy: own files only, no inline scripts, uploads to the store's host."""
    store_origin = ""
    if settings.store != "folder":
        address = urlsplit(store.download_url("pages", seconds=60))
        store_origin = f" {address.scheme}://{address.netloc}"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"frame-src {frame_sources(settings)}; "
        f"connect-src 'self'{store_origin}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def _file(request: Request, path: Path) -> Response:
    if not path.is_file():
        raise NotFound("There is no such file")
    has_digest = "-" in path.stem
    headers = {**_SAFE, "Cache-Control": _FOR_GOOD if has_digest else _FOR_AN_HOUR, "Vary": "Accept-Encoding"}
    kind = _KINDS.get(path.suffix, "application/octet-stream")
    if has_digest and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(_packed(path), media_type=kind, headers={**headers, "Content-Encoding": "gzip"})
    return Response(path.read_bytes(), media_type=kind, headers=headers)


@cache
def _packed(path: Path) -> bytes:
    """Return a file compressed, cached: a file with a digest in its name never changes."""
    return gzip.compress(path.read_bytes(), mtime=0)


def _not_built() -> Response:
    return page(
        "The pages were not built",
        paragraph("The server works, and the commands can use it: `cogames seasons` and `cogames leaderboard`."),
        paragraph("In a checkout, `make web` builds the pages; they are there without a restart."),
        status=503,
    )
