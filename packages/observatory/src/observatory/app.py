"""Build the application from its settings."""

from __future__ import annotations

import gc
import logging
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import version

import anyio
from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import State
from starlette.routing import BaseRoute

from observatory import outcomes
from observatory.clock import Clock, utc_now
from observatory.commissioner.loop import Commissioner
from observatory.commissioners.loop import CommissionerLoop
from observatory.database import Database, migrate
from observatory.database.link import Link
from observatory.errors import ObservatoryError
from observatory.hosting.loop import HostedLoop
from observatory.hosting.peers import Peers, Place
from observatory.hosting.tunnels import Tunnels
from observatory.http import refusals
from observatory.http.callers import find_principal
from observatory.http.rate_limits import limit
from observatory.http.response_cache import ResponseCache
from observatory.http.shared_responses import SharedResponses
from observatory.keys import load_keys
from observatory.live.broadcasts import Broadcasts
from observatory.notices.delivering import Deliverer
from observatory.operations.state import open_operations
from observatory.operations.sweeping import sweep_periodically
from observatory.rounds.loop import LeagueLoop
from observatory.settings import Settings
from observatory.standings.rank_watch import RankWatch
from observatory.standings.segments import SegmentWriter
from observatory.standings.table_cache import warm_up
from observatory.store import make_store

__all__ = ["create_app", "open_state"]

logger = logging.getLogger(__name__)


def create_app(settings: Settings | None = None, *, clock: Clock = utc_now) -> FastAPI:
    """Return the server for these settings, with its data folder created and its database migrated."""
    settings = Settings() if settings is None else settings
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    app = FastAPI(
        title="Observatory",
        summary="Accounts, uploads, seasons, matches and episodes of the Alignment League",
        version=version("observatory"),
        lifespan=_lifespan,
        generate_unique_id_function=_operation_id,
        redirect_slashes=False,
        docs_url=None,  # `/docs` is one of our pages
        redoc_url=None,
        dependencies=[Depends(limit)],
    )
    database = Database(settings.sqlalchemy_url(), timeout_seconds=settings.database_timeout_seconds)
    outcomes.install()
    try:
        migrate(database)
        _seed(settings, database, clock)
        open_state(app, settings, database, clock)
    except BaseException:
        database.close()
        raise
    refusals.install(app)
    app.router.routes += _routes()
    app.router.routes[:0] = _sockets()  # before the pages, which take every path
    _install_operations(app)
    return app


def open_state(app: FastAPI, settings: Settings, database: Database, clock: Clock) -> None:
    """Give the application everything that a process keeps in memory, as at its start, on a migrated database."""
    state = app.state
    state.settings = settings
    state.clock = clock
    state.keys = load_keys(settings)
    state.database = database
    state.store = make_store(settings, state.keys, clock)
    state.commissioner = Commissioner(database, settings, clock)
    state.league_loop = LeagueLoop(database, clock)
    state.commissioner_loop = CommissionerLoop(database, settings, clock)
    address = settings.peer_url or settings.local_url()
    state.link = Link(database, address) if database.has_peers else None
    state.rank_watch = RankWatch(database, clock)
    state.segment_writer = SegmentWriter(database, clock)
    state.deliverer = Deliverer(database, settings, state.keys, clock)
    state.tunnels = Tunnels()
    state.broadcasts = Broadcasts(max_bytes=settings.max_live_bytes)
    state.peers = Peers(database, state.keys, address, _held(state))
    shared = SharedResponses(database, settings.base_url(), state.peers.connect_for_responses)
    state.response_cache = ResponseCache(database, find_principal, shared)
    if state.link is not None:
        state.link.on_reset.append(state.commissioner.forget)
        state.link.handlers |= {"ask": state.peers.on_question, "here": state.peers.on_answer}
    state.hosted_loop = HostedLoop(database, settings, clock, state.tunnels)
    open_operations(state)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    link: Link | None = app.state.link
    if link is not None:
        await anyio.to_thread.run_sync(link.start)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sweep_periodically, app)
        tasks.start_soon(_warm_up, app)
        tasks.start_soon(app.state.shared_rates.run)
        if app.state.settings.play_seasons:
            tasks.start_soon(app.state.commissioner.run)
        tasks.start_soon(app.state.hosted_loop.run)
        tasks.start_soon(app.state.rank_watch.run)
        tasks.start_soon(app.state.segment_writer.run)
        tasks.start_soon(app.state.deliverer.run)
        if app.state.settings.play_rounds:
            tasks.start_soon(app.state.league_loop.run)
            tasks.start_soon(app.state.commissioner_loop.run)
        yield
        app.state.response_cache.stop()
        tasks.cancel_scope.cancel()
    if link is not None:
        await anyio.to_thread.run_sync(link.stop)
    database: Database = app.state.database
    database.close()


async def _warm_up(app: FastAPI) -> None:
    try:
        await anyio.to_thread.run_sync(warm_up, app.state.database, abandon_on_cancel=True)
    except (ObservatoryError, SQLAlchemyError) as problem:
        logger.warning("Tables could not be built in advance: %s", problem)
    for seconds in (0, 30, 300):
        # Objects that exist by now are long-lived. Without the freeze the garbage collector scans all of them each
        # time, and requests wait.
        await anyio.sleep(seconds)
        gc.freeze()


def _held(state: State) -> Callable[[uuid.UUID], Place | None]:
    """Return the function that finds a tunnel of a job, or the broadcast of a match, on this server."""

    def find(subject: uuid.UUID) -> Place | None:
        tunnel = state.tunnels.find(subject)
        if tunnel is not None:
            return Place("", tunnel.pages)
        broadcast = state.broadcasts.find(subject)
        is_here = broadcast is not None and broadcast.is_connected and broadcast.is_own
        return Place("") if is_here else None

    return find


def _routers() -> list[APIRouter]:
    from observatory.pages.card_endpoints import router as cards
    from observatory.pages.diagnoses import router as diagnoses
    from observatory.pages.embed_endpoints import router as embeds
    from observatory.pages.endpoints import router as pages
    from observatory.pages.feed_endpoints import router as feeds
    from observatory.pages.frame_endpoints import router as frames
    from observatory.pages.friendly_endpoints import router as friendlies
    from observatory.pages.league_endpoints import router as league_pages
    from observatory.pages.live_endpoints import router as live_pages
    from observatory.pages.notice_endpoints import router as notices
    from observatory.pages.round_reports import router as round_reports
    from observatory.pages.serving import router as site
    from observatory.pages.site_endpoints import router as site_pages
    from observatory.routes.accounts import router as accounts
    from observatory.routes.admin_people import router as admin_people
    from observatory.routes.admin_seasons import router as admin_seasons
    from observatory.routes.administration import router as administration
    from observatory.routes.assays import router as assays
    from observatory.routes.bulk_episodes import router as bulk_episodes
    from observatory.routes.commissioners import router as commissioners
    from observatory.routes.counterfactuals import router as counterfactuals
    from observatory.routes.coworlds import guide_router as guides
    from observatory.routes.coworlds import router as coworlds
    from observatory.routes.episode_files import router as episode_files
    from observatory.routes.episode_requests import router as episode_requests
    from observatory.routes.episodes import router as episodes
    from observatory.routes.experience_requests import router as experience_requests
    from observatory.routes.games import router as games
    from observatory.routes.guest_games import router as guest_games
    from observatory.routes.images import router as images
    from observatory.routes.jobs import router as jobs
    from observatory.routes.leagues import router as leagues
    from observatory.routes.legacy_policies import router as legacy_policies
    from observatory.routes.lobbies import router as lobbies
    from observatory.routes.matches import router as matches
    from observatory.routes.memberships import router as memberships
    from observatory.routes.own_tokens import router as own_tokens
    from observatory.routes.play_sessions import router as play_sessions
    from observatory.routes.policies import router as policies
    from observatory.routes.policy_uploads import router as policy_uploads
    from observatory.routes.recompute import router as recompute
    from observatory.routes.registry import router as registry
    from observatory.routes.reporters import router as reporters
    from observatory.routes.reproduction import router as reproduction
    from observatory.routes.role_runs import router as role_runs
    from observatory.routes.rounds import router as rounds
    from observatory.routes.seasons import router as seasons
    from observatory.routes.store import router as store
    from observatory.routes.usage import router as usage

    return [
        accounts,
        own_tokens,
        seasons,
        admin_people,
        admin_seasons,
        administration,
        recompute,
        reproduction,
        matches,
        policies,
        policy_uploads,
        legacy_policies,
        images,
        registry,
        episodes,
        bulk_episodes,
        experience_requests,
        episode_requests,
        episode_files,
        assays,
        coworlds,
        guides,
        reporters,
        role_runs,
        leagues,
        league_pages,
        round_reports,
        memberships,
        rounds,
        commissioners,
        usage,
        counterfactuals,
        lobbies,
        play_sessions,
        guest_games,
        games,
        jobs,
        store,
        pages,
        diagnoses,
        site_pages,
        live_pages,
        cards,
        friendlies,
        notices,
        embeds,
        feeds,
        frames,
        site,
    ]


@cache
def _routes() -> list[BaseRoute]:
    """Return the routes of every server in this process: to analyse their parameters takes a second."""
    holder = APIRouter(dependencies=[Depends(limit)], generate_unique_id_function=_operation_id, redirect_slashes=False)
    for router in _routers():
        holder.include_router(router)
    for _ in iter_route_contexts(holder.routes):
        pass  # FastAPI combines routes with their routers when it first looks at them, which no request should wait for
    return holder.routes


def _sockets() -> list[BaseRoute]:
    from observatory.routes.games import sockets
    from observatory.routes.live import routes as live
    from observatory.routes.peers import routes as peers
    from observatory.routes.tunnels import routes

    return [*routes, *live, *peers, *sockets]


def _install_operations(app: FastAPI) -> None:
    """Health, metrics, request ids, limits."""
    from observatory import operations

    operations.install(app)


def _seed(settings: Settings, database: Database, clock: Clock) -> None:
    from observatory.seasons.seeding import seed_if_empty

    if settings.seed_seasons:
        seed_if_empty(database, clock())


def _operation_id(route: APIRoute) -> str:
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name
