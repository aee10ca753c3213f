"""Feeds over HTTP: `/observatory/feeds/seasons/open.atom`, with `.rss` and `.json`. They need no credentials."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Path, Request, Response
from sqlalchemy.orm import Session

from observatory.errors import NotFound
from observatory.events import ChangeKind
from observatory.http.deps import SettingsDep
from observatory.http.response_cache import ResponseCache, Rule
from observatory.http.routing import Router
from observatory.pages.feed_items import Feeds, Topic
from observatory.pages.feeds import FeedFormat
from observatory.pages.heads import FEED_TYPES

__all__ = ["router"]

router = Router(prefix="/observatory/feeds", tags=["pages"], include_in_schema=False)

_RULE = Rule(
    (
        ChangeKind.ACCOUNT,
        ChangeKind.SEASON,
        ChangeKind.MEMBERSHIP,
        ChangeKind.MATCH,
        ChangeKind.POLICY,
        ChangeKind.LEAGUE,
        ChangeKind.LEAGUE_ENTRY,
        ChangeKind.ROUND,
    ),
    per_viewer=False,
)
_FILE = re.compile(r"(?P<key>.+)\.(?P<form>atom|rss|json)", re.DOTALL)


@router.get("/{topic}/{file}")
async def read_feed(
    topic: Topic, file: Annotated[str, Path(max_length=300)], request: Request, settings: SettingsDep
) -> Response:
    """Return a feed of public facts: the same for every caller, cached until they change."""
    named = _FILE.fullmatch(file)
    if named is None:
        raise NotFound("A feed ends with .atom, .rss or .json")
    form: FeedFormat = named["form"]  # type: ignore[assignment]
    base = settings.base_url()

    def compute(session: Session) -> tuple[bytes, dict[str, str]]:
        body = Feeds(session, base).feed(topic, named["key"]).write(form)
        headers = {
            "content-type": f"{FEED_TYPES[form]}; charset=utf-8",
            "x-content-type-options": "nosniff",
            "access-control-allow-origin": "*",
        }
        return body, headers

    cache: ResponseCache = request.app.state.response_cache
    return await cache.respond(request, _RULE, compute)
