"""HTTP endpoints of pages that show matches while they are played."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from observatory.database import SessionDep
from observatory.episodes.wire import EpisodeWire
from observatory.errors import NotFound, Unauthorized, errors
from observatory.events import ChangeKind
from observatory.http.cached import cached
from observatory.http.callers import OptionalPrincipal
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router
from observatory.pages.front_match import FrontMatch, front_match
from observatory.pages.live_now import LiveLine, live_now

__all__ = ["router"]

router = Router(prefix="/observatory/api", tags=["pages"])


@router.get("/front-match")
@cached(ChangeKind.SEASON, ChangeKind.MATCH, ChangeKind.QUEUE, ChangeKind.EPISODE)
def read_front_match(session: SessionDep, store: StoreDep, settings: SettingsDep) -> FrontMatch:
    """Return the match that the front page plays."""
    return front_match(session, EpisodeWire(store, settings))


@router.get("/live", responses=errors(Unauthorized, NotFound))
def list_live(
    session: SessionDep,
    principal: OptionalPrincipal,
    season: Annotated[str | None, Query(max_length=200, description="`name`, `name:v3` or `name:3`")] = None,
    league: Annotated[str | None, Query(max_length=200, description="`league_...`, `div_...` or `round_...`")] = None,
) -> list[LiveLine]:
    """Return matches and episodes that the caller may watch now: of a season, of a league, or all."""
    return live_now(session, principal, season=season, league=league)
