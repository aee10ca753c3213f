"""Episodes on request over HTTP: lists for every generation of clients, the feed of changes, single episodes.

`GET /v2/episode-requests` has three forms. With `ids` it is the bulk list of newer clients. Without, it is a filtered
list: an object, or a bare array for the oldest clients, which sign in with the header `X-Auth-Token`.
"""

from __future__ import annotations

import functools
import time
import uuid
from collections.abc import Sequence
from html import escape
from typing import Annotated, Literal

from fastapi import Depends, Query, Request, Response
from fastapi.responses import HTMLResponse
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from observatory.clock import Now
from observatory.coworlds import repository as coworlds
from observatory.cursors import CursorPage, cursor_page
from observatory.database import DatabaseDep, SessionDep
from observatory.database.tables.hosted import HostedStatus
from observatory.database.tables.requests import EpisodeRequest, EpisodeRequestStatus
from observatory.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    Gone,
    NotFound,
    Unauthorized,
    Unprocessable,
    errors,
)
from observatory.events import ChangeKind
from observatory.experience import repository
from observatory.experience.changes import ChangeFeed
from observatory.experience.downloads import Downloads
from observatory.experience.files import CATEGORIES, Category
from observatory.experience.repository import EpisodeFilter
from observatory.experience.schemas import ReplaySessionCreate
from observatory.experience.wire import RequestWire, replay_key
from observatory.hosting import replays
from observatory.hosting.places import folder_of, token_of
from observatory.http.callers import (
    CurrentPrincipal,
    OptionalPrincipal,
    Principal,
    RequestToken,
    Writer,
    find_principal,
)
from observatory.http.deps import KeysDep, SettingsDep, StoreDep
from observatory.http.plain_pages import page, paragraph, secret_box, table
from observatory.http.routing import Router
from observatory.leagues import repository as leagues
from observatory.public_ids import parse_public_id, public_id
from observatory.reproduction.requests import episode_reproduction
from observatory.routes.games import game_address, own_address
from softmax.wire.requests import (
    BulkEpisodePage,
    DownloadManifest,
    EpisodeChanges,
    EpisodeReproduction,
    EpisodeRequestList,
    EpisodeRequestPage,
    EpisodeRequestRow,
    ReplaySession,
)

__all__ = ["router"]

router = Router(prefix="/v2", tags=["requests"])

MAX_BULK_IDS = 50
MAX_WAIT_SECONDS = 25.0

EpisodePage = Annotated[CursorPage, Depends(cursor_page(200, max_limit=1000))]  # clients of 0.1.26 ask for 1000
SummaryPage = Annotated[CursorPage, Depends(cursor_page(50, max_limit=100))]
Ids = Annotated[list[str], Query(min_length=1, max_length=MAX_BULK_IDS)]
OptionalIds = Annotated[list[str] | None, Query(min_length=1, max_length=MAX_BULK_IDS)]
View = Annotated[Literal["progress", "results"], Query()]
Reference = Annotated[str | None, Query(max_length=100)]


@router.get("/episode-requests", responses=errors(Unauthorized, NotFound))
def list_episode_requests(
    request: Request,
    principal: OptionalPrincipal,
    session: SessionDep,
    part: EpisodePage,
    store: StoreDep,
    settings: SettingsDep,
    now: Now,
    ids: OptionalIds = None,
    view: View = "progress",
    status: Annotated[list[EpisodeRequestStatus] | None, Query(max_length=6)] = None,
    league_id: Reference = None,
    division_id: Reference = None,
    round_id: Reference = None,
    pool_id: Reference = None,
    player_id: Reference = None,
    policy_version_id: uuid.UUID | None = None,
    mine: bool = False,
    with_replay: bool = False,
) -> BulkEpisodePage | EpisodeRequestList | list[EpisodeRequestRow]:
    """Return episodes: those of `ids`, or those that pass the filters, newest first."""
    wire = RequestWire(store, settings)
    if ids is not None:
        statement, unavailable = _by_ids(session, ids, principal)
        if status:
            statement = statement.where(EpisodeRequest.status.in_(status))
        rows = part.of(session, statement, EpisodeRequest.created_at, EpisodeRequest.id)
        return BulkEpisodePage(
            entries=[wire.bulk(row, results=view == "results") for row in rows.rows],
            unavailable_ids=unavailable,
            next_cursor=rows.next_cursor,
            observed_at=now,
        )
    if mine and principal is None:
        raise Unauthorized
    filters = EpisodeFilter(
        league_id=_row_id("league", league_id),
        division_id=_row_id("div", division_id),
        round_id=_row_id("round", round_id) or _row_id("pool", pool_id),
        player_id=player_id,
        policy_version_id=policy_version_id,
        mine=principal if mine else None,
        with_replay=with_replay,
    )
    rows = repository.episodes(session, filters, principal, part)
    entries = [wire.row(row) for row in rows.rows]
    if "x-auth-token" in request.headers:
        return entries
    return EpisodeRequestList(entries=entries, next_cursor=rows.next_cursor)


@router.get("/episode-requests/changes", responses=errors(Unauthorized, NotFound, Conflict, Gone))
async def read_changes(
    request: Request,
    _token: RequestToken,
    ids: Ids,
    database: DatabaseDep,
    keys: KeysDep,
    store: StoreDep,
    settings: SettingsDep,
    view: View = "progress",
    limit: Annotated[int, Query(ge=1, le=200)] = 200,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
    wait_seconds: Annotated[float, Query(ge=0, le=60)] = 0,
) -> EpisodeChanges:
    """Return the episodes of requests, and then what changes. With `wait_seconds`, wait for the next change."""
    state = request.app.state
    deadline = time.monotonic() + min(wait_seconds, MAX_WAIT_SECONDS)
    read = functools.partial(
        _read_changes,
        request=request,
        ids=ids,
        secret=keys.secret,
        wire=RequestWire(store, settings),
        results=view == "results",
        cursor=cursor,
        limit=limit,
    )
    with database.changes.subscribe_async() as changes:
        while True:
            versions = database.changes.versions([ChangeKind.REQUEST])
            response: EpisodeChanges = await database.query(read)
            if response.entries or response.phase == "snapshot":
                return response
            await changes.wait_for([ChangeKind.REQUEST], versions, deadline)
            if state.stopping or time.monotonic() >= deadline:
                return response


def _read_changes(
    session: Session,
    *,
    request: Request,
    ids: Sequence[str],
    secret: bytes,
    wire: RequestWire,
    results: bool,
    cursor: str | None,
    limit: int,
) -> EpisodeChanges:
    principal = find_principal(request, session)[0]
    if principal is None:
        raise Unauthorized
    request_ids = [parse_public_id("xreq", text, error=Unprocessable) for text in ids]
    seen = repository.visible_ids(session, request_ids, principal, of_requests=True)
    for text, request_id in zip(ids, request_ids, strict=True):
        if request_id not in seen:
            raise NotFound(f"There is no experience request {text}")
    feed = ChangeFeed(sorted(seen), secret, wire, results)
    return feed.read(session, cursor, limit=limit, now=request.app.state.clock())


@router.get("/episode-requests/download-manifest", responses=errors(Unauthorized))
def read_download_manifest(
    principal: CurrentPrincipal,
    session: SessionDep,
    ids: Ids,
    part: Annotated[CursorPage, Depends(cursor_page(50, max_limit=200))],
    store: StoreDep,
    settings: SettingsDep,
    now: Now,
    include: Annotated[list[Category] | None, Query(max_length=len(CATEGORIES))] = None,
    agent: Annotated[list[int] | None, Query(max_length=64)] = None,
) -> DownloadManifest:
    """Return where the files of episodes are; `limit` is the number of episodes in a page."""
    statement, unavailable = _by_ids(session, ids, principal)
    rows = part.of(session, statement, EpisodeRequest.created_at, EpisodeRequest.id)
    downloads = Downloads(store, settings, now)
    wanted = include or list(CATEGORIES)
    entries = [entry for row in rows.rows for entry in downloads.entries(row, principal, include=wanted, agents=agent)]
    return DownloadManifest(entries=entries, unavailable_ids=unavailable, next_cursor=rows.next_cursor)


@router.get("/episode-requests/{request_id}", responses=errors(Unauthorized, NotFound))
def read_episode_request(
    request_id: str, principal: OptionalPrincipal, session: SessionDep, store: StoreDep, settings: SettingsDep
) -> EpisodeRequestRow:
    """Return one episode, with the configuration of its game."""
    row = repository.episode(session, request_id, principal)
    return RequestWire(store, settings).row(row, game_config=row.game_config)


@router.get(
    "/episode-requests/{request_id}/reproduction", responses=errors(Unauthorized, Forbidden, NotFound, Conflict)
)
def read_episode_reproduction(
    request_id: str, principal: CurrentPrincipal, session: SessionDep, store: StoreDep, settings: SettingsDep
) -> EpisodeReproduction:
    """Return everything needed to play an episode again; `coworld reproduce` calls this."""
    row = repository.episode(session, request_id, principal)
    return episode_reproduction(session, row, principal, store=store, settings=settings)


@router.get("/policy-versions/{policy_version_id}/episode-requests", responses=errors(Unauthorized))
def list_episodes_of_version(
    policy_version_id: uuid.UUID,
    principal: OptionalPrincipal,
    session: SessionDep,
    part: SummaryPage,
    store: StoreDep,
    settings: SettingsDep,
    with_replay: bool = False,
) -> EpisodeRequestPage:
    """Return the episodes in which a policy version has a seat, newest first."""
    filters = EpisodeFilter(policy_version_id=policy_version_id, with_replay=with_replay)
    return _summaries(session, filters, principal, part, RequestWire(store, settings))


@router.get("/rounds/{round_id}/episode-requests", responses=errors(Unauthorized, NotFound))
def list_episodes_of_round(
    round_id: str,
    principal: OptionalPrincipal,
    session: SessionDep,
    part: SummaryPage,
    store: StoreDep,
    settings: SettingsDep,
    with_replay: bool = False,
) -> EpisodeRequestPage:
    """Return the episodes of a round, newest first."""
    row = leagues.round_(session, parse_public_id("round", round_id), principal)
    filters = EpisodeFilter(round_id=row.id, with_replay=with_replay)
    return _summaries(session, filters, principal, part, RequestWire(store, settings))


@router.post("/coworlds/replays/session", responses=errors(Unauthorized, Forbidden, NotFound, BadRequest, Conflict))
def open_replay_session(
    body: ReplaySessionCreate,
    principal: Writer,
    request: Request,
    session: SessionDep,
    store: StoreDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> ReplaySession:
    """Show a replay: a worker runs its game, or the game's own viewer needs none. Return the address of the page.

    Only a replay of an episode of this Coworld is shown. The same caller gets the same page again while it is open.
    """
    coworld = coworlds.coworld(session, body.coworld_id, principal)
    episode = _episode_of_replay(session, body, principal)
    url = None if episode is None else RequestWire(store, settings).replay_url(episode)
    if episode is None or episode.coworld_id != coworld.id or url is None or _path(url) != _path(body.replay_uri):
        raise BadRequest("This is not a replay of an episode of this Coworld on this server")
    if replays.has_static_viewer(episode):
        page = own_address(request, f"/observatory/episodes/{public_id('ereq', episode.id)}")
        return ReplaySession(viewer_url=page, ready=True)
    key = replay_key(episode)
    assert key is not None
    place = replays.open_replay(session, principal, episode, key, settings=settings, keys=keys, now=now)
    address = game_address(request, folder_of(token_of(keys, place)))
    return ReplaySession(viewer_url=address, ready=place.game.status is HostedStatus.RUNNING)


@router.get(
    "/episode-requests/{request_id}/replay-page",
    responses={200: {"content": {"text/html": {}}}, **errors(Unauthorized, NotFound)},
    response_class=Response,
)
def show_replay(
    request_id: str, principal: OptionalPrincipal, session: SessionDep, store: StoreDep, settings: SettingsDep
) -> HTMLResponse:
    """Show how an episode ended, and how to watch its replay."""
    episode = repository.episode(session, request_id, principal)
    row = RequestWire(store, settings).row(episode)
    seats = [
        (str(seat.position), escape(participant.policy_name or ""), "" if seat.score is None else f"{seat.score:g}")
        for seat, participant in zip(episode.seats, row.participants, strict=True)
    ]
    parts = [
        paragraph(f"{episode.coworld.name} {episode.coworld.version}, {row.status}"),
        table("Seats", ("Seat", "Policy", "Score"), seats, empty="This episode has no seats."),
    ]
    if row.replay_url is not None:
        command = f"coworld replay {row.coworld_id} '{row.replay_url}'"
        parts.append(f'<p><a href="{escape(row.replay_url)}">Download the replay</a></p>')
        parts.append(secret_box("To watch it, run this command:", command))
    else:
        parts.append(paragraph("This episode has no replay."))
    return page(f"Episode {row.id}", *parts)


def _episode_of_replay(session: Session, body: ReplaySessionCreate, principal: Principal) -> EpisodeRequest | None:
    """Return the episode of a replay's address, which has the job's id in its path."""
    for part in _path(body.replay_uri).split("/"):
        try:
            return repository.episode_of_job(session, uuid.UUID(part), principal)
        except (ValueError, NotFound):
            continue
    return None


def _path(url: str) -> str:
    return url.partition("?")[0]


def _summaries(
    session: Session, filters: EpisodeFilter, principal: Principal | None, part: CursorPage, wire: RequestWire
) -> EpisodeRequestPage:
    rows = repository.episodes(session, filters, principal, part)
    return EpisodeRequestPage(entries=[wire.summary(row) for row in rows.rows], next_cursor=rows.next_cursor)


def _by_ids(
    session: Session, ids: Sequence[str], principal: Principal | None
) -> tuple[Select[EpisodeRequest], list[str]]:
    """Return the statement for the episodes of ids, all of experience requests or all of episodes; and the others."""
    if principal is None:
        raise Unauthorized
    of_requests = ids[0].startswith("xreq_")
    prefix: Literal["xreq", "ereq"] = "xreq" if of_requests else "ereq"
    row_ids = {text: parse_public_id(prefix, text, error=Unprocessable) for text in ids}
    seen = repository.visible_ids(session, list(row_ids.values()), principal, of_requests=of_requests)
    column = EpisodeRequest.experience_request_id if of_requests else EpisodeRequest.id
    statement = select(EpisodeRequest).where(column.in_(seen)).options(*repository.with_all())
    return statement, [text for text, row_id in row_ids.items() if row_id not in seen]


def _row_id(prefix: Literal["league", "div", "round", "pool"], text: str | None) -> uuid.UUID | None:
    return None if text is None else parse_public_id(prefix, text, error=Unprocessable)
