"""Seeds of leagues: their owners and administrators create leagues with them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from observatory.clock import Now
from observatory.database import SessionDep
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.http.callers import Admin, CurrentUser
from observatory.http.routing import Router
from observatory.leagues import repository
from observatory.leagues import seeds as service
from observatory.leagues.schemas import RebindRequest, SeedCreate, SeedUpdate
from observatory.leagues.seed_documents import SeedDocument, apply_document
from observatory.leagues.wire import seed_row
from softmax.wire.leagues import CompetitionSeed, SeedRebind

__all__ = ["router"]

router = Router(prefix="/v2/coworld-league-seeds", tags=["leagues"])

SeedId = Annotated[
    str, Path(max_length=200, description="`lseed_...`; older clients send the name of the Coworld instead")
]
_CHANGING = (Unauthorized, Forbidden, NotFound, Conflict)


@router.post("", responses=errors(*_CHANGING))
def create_league_seed(body: SeedCreate, session: SessionDep, user: CurrentUser, now: Now) -> CompetitionSeed:
    """Create a league for a Coworld of the caller, or return the seed that has this key already."""
    return seed_row(service.create(session, user, body, now=now))


@router.put("", responses=errors(*_CHANGING))
def apply_seed_document(body: SeedDocument, session: SessionDep, user: CurrentUser, now: Now) -> CompetitionSeed:
    """Make a league, its divisions and its settings what a document says; create the league if it does not exist."""
    return seed_row(apply_document(session, user, body, now=now))


@router.get("", responses=errors(Unauthorized, Forbidden))
def list_league_seeds(session: SessionDep, user: CurrentUser) -> list[CompetitionSeed]:
    """Return the seeds of the caller's leagues, newest first; all of them for an administrator."""
    return [seed_row(seed) for seed in repository.seeds(session, user)]


@router.post("/rebind", responses=errors(*_CHANGING))
def rebind_league_seeds(body: RebindRequest, session: SessionDep, user: CurrentUser, now: Now) -> SeedRebind:
    """Move leagues to other games, all of them or none; `dry_run` only says what would happen."""
    return service.rebind(session, user, body, now=now)


@router.patch("/{seed_id}", responses=errors(*_CHANGING))
def update_league_seed(
    seed_id: SeedId, body: SeedUpdate, session: SessionDep, user: CurrentUser, now: Now
) -> CompetitionSeed:
    """Change a seed; its league follows at once."""
    seed = service.own_seed(session, user, seed_id)
    service.update(session, user, seed, body, now=now)
    return seed_row(seed)


@router.put("/{seed_id}/game-of-week", responses=errors(*_CHANGING))
def set_game_of_week(seed_id: SeedId, session: SessionDep, admin: Admin) -> CompetitionSeed:
    """Make the seed's league the only game of the week; for administrators."""
    seed = service.own_seed(session, admin, seed_id)
    service.set_game_of_week(session, seed)
    return seed_row(seed)
