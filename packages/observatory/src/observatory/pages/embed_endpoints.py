"""Pages that other sites show in a frame, and oEmbed (https://oembed.com), by which sites find them.

They read neither cookies nor tokens: everyone sees the same, and that is what everyone may see.
"""

from __future__ import annotations

import uuid
from html import escape
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import JSONResponse, Response
from sqlalchemy.orm import Session

from observatory import games
from observatory.database import SessionDep
from observatory.episodes.wire import EpisodeWire
from observatory.errors import NotFound
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router
from observatory.live.rules import viewer_of
from observatory.pages.embeds import (
    FRIENDLIES,
    HEIGHT,
    MIN_HEIGHT,
    MIN_WIDTH,
    WIDTH,
    Embedded,
    Place,
    embedded,
    iframe,
    read_place,
    viewer_place,
)

__all__ = ["router"]

router = Router(prefix="/observatory", tags=["pages"], include_in_schema=False)

_CACHE_SECONDS = 300
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-content:center;"
    "justify-items:center;text-align:center;padding:16px;background:#0c0f12;color:#e6ebef}a{color:#58b8d8}"
)

Tick = Annotated[int | None, Query(ge=0, le=10**9)]


@router.get("/embed/matches/{match_id}")
def embed_match(
    match_id: uuid.UUID, session: SessionDep, store: StoreDep, settings: SettingsDep, tick: Tick = None
) -> Response:
    """Serve the replay of a public match in a page that every site may frame."""
    return _embed(Place("matches", match_id, tick), session, EpisodeWire(store, settings))


@router.get("/embed/friendlies/{friendly_id}")
def embed_friendly(
    friendly_id: uuid.UUID, session: SessionDep, store: StoreDep, settings: SettingsDep, tick: Tick = None
) -> Response:
    """Serve the replay of a friendly match in a page that every site may frame."""
    return _embed(Place(FRIENDLIES, friendly_id, tick), session, EpisodeWire(store, settings))


def _embed(place: Place, session: Session, wire: EpisodeWire) -> Response:
    base = wire.settings.base_url()
    try:
        shown = embedded(session, place, wire)
    except NotFound:
        return _message("This match does not exist, or is not public", base, status=404)
    return _viewer(shown, place, base)


@router.get("/oembed")
def read_oembed(
    session: SessionDep,
    store: StoreDep,
    settings: SettingsDep,
    url: Annotated[str, Query(max_length=2000)],
    format: Annotated[str, Query(max_length=20)] = "json",
    maxwidth: Annotated[int | None, Query(ge=1, le=100_000)] = None,
    maxheight: Annotated[int | None, Query(ge=1, le=100_000)] = None,
) -> Response:
    """Describe how to show the page of a match on another site."""
    if format != "json":
        return JSONResponse({"detail": "Only the format json is supported"}, 501)
    place = read_place(url, settings)
    shown = embedded(session, place, EpisodeWire(store, settings))
    width = max(MIN_WIDTH, min(WIDTH, maxwidth or WIDTH))
    height = max(MIN_HEIGHT, min(HEIGHT, maxheight or HEIGHT))
    base = settings.base_url()
    document: dict[str, Any] = {
        "version": "1.0",
        "type": "rich",
        "title": shown.card.title,
        "provider_name": "Alignment League",
        "provider_url": f"{base}/observatory",
        "cache_age": _CACHE_SECONDS,
        "html": iframe(place, shown.card.title, settings, width=width, height=height),
        "width": width,
        "height": height,
        "thumbnail_url": f"{base}{place.picture}",
        "thumbnail_width": 1200,
        "thumbnail_height": 630,
    }
    headers = {
        "Access-Control-Allow-Origin": "*",
        "Cache-Control": f"public, max-age={_CACHE_SECONDS}",
        "X-Content-Type-Options": "nosniff",
    }
    return JSONResponse(document, headers=headers)


def _viewer(shown: Embedded, place: Place, base: str) -> Response:
    """Return the replay viewer with one replay, which its address cannot change."""
    if shown.replay is None:
        return _message(f"No replay of {shown.card.title} yet", base + place.page)
    game = games.season_game(shown.engine)
    folder = game.viewer_folder()
    if folder is None:
        return _message("The viewer was not built", base + place.page, status=503)
    text = (folder / game.viewer_page).read_text(encoding="utf-8")
    text = text.replace('"./assets/', f'"{viewer_of(shown.engine)}assets/')
    meta = f'<meta name="mettascope-place" content="{escape(viewer_place(shown.replay, place))}" />'
    text = text.replace("</head>", f"  {meta}\n  </head>", 1)
    return _framable(text, game.viewer_policy())


def _message(text: str, address: str, *, status: int = 200) -> Response:
    link = f'<a href="{escape(address)}" target="_blank" rel="noopener">Open the Alignment League</a>'
    document = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(text)}</title>'
        f"<style>{_STYLE}</style></head><body><p>{escape(text)}.</p><p>{link}</p></body></html>"
    )
    return _framable(document, "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'", status=status)


def _framable(text: str, policy: str, *, status: int = 200) -> Response:
    headers = {
        "Content-Security-Policy": f"{policy}; frame-ancestors *",
        "Cache-Control": "no-cache",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(text, status, media_type="text/html; charset=utf-8", headers=headers)
