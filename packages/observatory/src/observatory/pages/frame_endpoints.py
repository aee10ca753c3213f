"""Serve third-party pages for frames of this site's pages: replay viewers with a replay, and reports in HTML.

The path of an address is its credential: a signed text that names one viewer and one replay, or one report, and
expires. Cookies are never read.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import Path, Request
from fastapi.responses import Response, StreamingResponse

from observatory.coworlds.viewer_files import ViewerFiles, content_type
from observatory.errors import NotFound
from observatory.http.deps import KeysDep, SettingsDep, StoreDep
from observatory.http.frames import check_frame_request, frame_headers
from observatory.http.routing import Router
from observatory.keys import Keys
from observatory.pages.frame_links import FRAMES, REPLAY, read_link
from observatory.store import Missing, Store

__all__ = ["router"]

router = Router(prefix=FRAMES, tags=["pages"], include_in_schema=False)

_GZIP = b"\x1f\x8b"

Link = Annotated[str, Path(max_length=1000, pattern=r"^[\w.\-]+$")]
FilePath = Annotated[str, Path(max_length=500)]


@router.get("/replays/{link}/" + REPLAY)
def read_replay(link: Link, request: Request, store: StoreDep, keys: KeysDep) -> Response:
    """Send the replay, compressed if the viewer expects that; its page recognises the format by the first bytes."""
    content = _content(request, keys, link, "replay")
    try:
        pieces = store.stream(content["replay"])
    except Missing:
        raise NotFound("The replay has expired") from None
    if content.get("gzip"):
        pieces = _compressed(pieces)
    return StreamingResponse(pieces, media_type="application/octet-stream", headers=_headers(request, "replays", link))


@router.get("/replays/{link}/{path:path}")
def read_viewer_file(
    link: Link, path: FilePath, request: Request, store: StoreDep, keys: KeysDep, settings: SettingsDep
) -> Response:
    """Send a file of a replay viewer."""
    content = _content(request, keys, link, "viewer")
    name = path + "index.html" if path == "" or path.endswith("/") else path
    pieces = ViewerFiles(store, settings.data_dir / "viewers").open(content["viewer"], name)
    return StreamingResponse(pieces, media_type=content_type(name), headers=_headers(request, "replays", link))


@router.get("/reports/{link}/page.html")
def read_report(link: Link, request: Request, store: StoreDep, keys: KeysDep) -> Response:
    """Send a report in HTML. It runs no scripts and loads nothing."""
    content = _content(request, keys, link, "report")
    headers = frame_headers(request, f"{FRAMES}/reports/{link}/", scripts=False)
    return Response(_bytes(store, content["report"]), media_type="text/html; charset=utf-8", headers=headers)


def _content(request: Request, keys: Keys, link: str, field: str) -> dict[str, Any]:
    check_frame_request(request)
    content = read_link(keys, link)
    if content is None or field not in content:
        raise NotFound("This address has expired; open the page of the episode again")
    return content


def _headers(request: Request, kind: str, link: str) -> dict[str, str]:
    return frame_headers(request, f"{FRAMES}/{kind}/{link}/")


def _bytes(store: Store, key: str) -> bytes:
    try:
        return store.get(key)
    except Missing:
        raise NotFound("The report is not stored any more") from None


def _compressed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Compress a replay, unless it is compressed already."""
    first = next(pieces, b"")
    if first.startswith(_GZIP):
        yield first
        yield from pieces
        return
    packer = zlib.compressobj(wbits=31)  # with the header of gzip
    yield packer.compress(first)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
