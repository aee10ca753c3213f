"""Recomputing over HTTP; `observatory admin recompute` calls this."""

from __future__ import annotations

from typing import Annotated

import anyio.to_thread
from fastapi import Path, Request
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from observatory.database import Database, DatabaseDep, SessionDep, own_transactions
from observatory.database.tables.seasons import Season
from observatory.errors import Forbidden, NotFound, Unauthorized, errors
from observatory.events import Change, ChangeKind, note
from observatory.http.callers import Admin
from observatory.http.deps import StoreDep
from observatory.http.routing import Router
from observatory.leagues import repository as leagues
from observatory.public_ids import parse_public_id
from observatory.recompute.schemas import (
    LeagueRecomputeReport,
    LeagueRecomputeRequest,
    RecomputeReport,
    RecomputeRequest,
)
from observatory.recompute.service import Recomputed, recompute_season, repair_scores
from observatory.rounds.recomputing import recompute_league, repair_ratings
from observatory.seasons.repository import SeasonReference
from observatory.store import Store

__all__ = ["router"]

router = Router(prefix="/observatory/api/admin", tags=["administration"])


@router.post("/recompute", responses=errors(Unauthorized, Forbidden, NotFound))
@own_transactions
async def recompute(
    body: RecomputeRequest, admin: Admin, request: Request, database: DatabaseDep, store: StoreDep
) -> RecomputeReport:
    """Recompute seasons from stored results and compare all decisions; without `check`, correct wrong scores."""
    seasons = await database.query(lambda session: _seasons(session, body.season))
    results = [await anyio.to_thread.run_sync(_recompute, database, season, store) for season in seasons]
    repaired = 0
    if not body.check:
        for result in results:
            repaired += await database.write(lambda session, result=result: repair_scores(session, result))  # type: ignore[misc]
        if any(result.pools for result in results):
            database.cache.invalidate()  # tables of pools count each match once, when it ends
            database.changes.invalidate()
            request.app.state.commissioner.forget()
            await anyio.to_thread.run_sync(database.notify, {"reset": True})
            # A numbered transaction after the reset: this server gets no response that the leader computed before it.
            await database.write(_note_every_kind)
    return _report(results, repaired)


@router.post("/leagues/{league_id}/recompute", responses=errors(Unauthorized, Forbidden, NotFound))
def recompute_ratings(
    league_id: Annotated[str, Path(max_length=200)], body: LeagueRecomputeRequest, admin: Admin, session: SessionDep
) -> LeagueRecomputeReport:
    """Compute the ratings of a league from the logs of its rounds and compare them; without `check`, correct them."""
    league = leagues.league(session, parse_public_id("league", league_id), admin)
    found = recompute_league(session, league)
    repaired = 0 if body.check else repair_ratings(session, league, found)
    result = f"{len(found.differences)} differences" if found.differences else "no differences"
    corrected = f"; corrected {repaired} ratings" if repaired else ""
    players = len(found.standings)
    return LeagueRecomputeReport(
        rounds=found.rounds,
        results=found.results,
        players=players,
        repaired=repaired,
        differences=found.differences,
        sentence=f"Checked {found.rounds} rounds, {found.results} results and {players} players: {result}{corrected}",
    )


def _note_every_kind(session: Session) -> None:
    for kind in ChangeKind:
        note(session, Change(kind))


def _seasons(session: Session, reference: str | None) -> list[Season]:
    """Return the requested versions, oldest first; a name alone means all of its versions."""
    statement = select(Season).options(selectinload(Season.pools)).order_by(Season.created_at, Season.id)
    if reference is not None:
        parsed = SeasonReference.parse(reference)
        statement = statement.where(Season.name == parsed.name)
        if parsed.version is not None:
            statement = statement.where(Season.version == parsed.version)
    seasons = list(session.scalars(statement))
    if reference is not None and not seasons:
        raise NotFound(f"Season {reference!r} not found")
    return seasons


def _recompute(database: Database, season: Season, store: Store) -> Recomputed:
    with database.read(in_transaction=True) as session:
        return recompute_season(session, season, store)


def _report(results: list[Recomputed], repaired: int) -> RecomputeReport:
    findings = [finding for season in results for finding in season.findings]
    matches, files = sum(season.matches for season in results), sum(season.files for season in results)
    result = f"{len(findings)} differences" if findings else "no differences"
    corrected = f"; corrected {repaired} scores" if repaired else ""
    sentence = f"Checked {len(results)} seasons, {matches} matches and {files} files: {result}{corrected}"
    return RecomputeReport(
        seasons=len(results), matches=matches, files=files, repaired=repaired, findings=findings, sentence=sentence
    )
