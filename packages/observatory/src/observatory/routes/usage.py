"""What newer clients ask about the caller: credits, and posts for the feed of a game."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from observatory.clock import Now
from observatory.database import SessionDep
from observatory.errors import Unauthorized, errors
from observatory.http.callers import CurrentPrincipal
from observatory.http.routing import Router
from observatory.leagues import credits
from softmax.wire.leagues import Credits, FeedCheck

__all__ = ["router"]

router = Router(tags=["usage"])


@router.get("/usage/me/credits", responses=errors(Unauthorized))
def read_credits(session: SessionDep, principal: CurrentPrincipal, now: Now) -> Credits:
    """Return what the caller's last experience requests cost. This server enforces no limit."""
    return credits.of_caller(session, principal, now=now)


@router.get("/v2/coworlds/{coworld_name}/feed-posts/check", responses=errors())
def check_feed(coworld_name: Annotated[str, Path(max_length=200)]) -> FeedCheck:
    """Return what to post to the feed of a game: nothing, because this server has no feed."""
    return FeedCheck(human_name=None, rounds=[], sensei_due=None)
