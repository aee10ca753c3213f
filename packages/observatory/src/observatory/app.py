"""The application: settings in, everything that answers requests out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

import anyio
from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import APIRoute

from observatory import errors
from observatory.clock import Clock, utc_now
from observatory.database import Database, migrate
from observatory.keys import load_keys
from observatory.operations.rate_limits import limit
from observatory.settings import Settings
from observatory.store import make_store
from observatory.sweeping import sweep_for_ever

__all__ = ["create_app"]


def create_app(settings: Settings | None = None, *, clock: Clock = utc_now) -> FastAPI:
    """The server for these settings. When it returns, the data folder is there and the database is ready."""
    settings = Settings() if settings is None else settings
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    app = FastAPI(
        title="Observatory",
        summary="Accounts, uploads, seasons, matches and episodes of the Alignment League",
        version=version("observatory"),
        lifespan=_lifespan,
        generate_unique_id_function=_operation_id,
        redirect_slashes=False,
        dependencies=[Depends(limit)],
    )
    state = app.state
    state.settings = settings
    state.clock = clock
    state.keys = load_keys(settings)
    state.database = Database(settings.sqlalchemy_url(), timeout_seconds=settings.database_timeout_seconds)
    state.store = make_store(settings, state.keys, clock)
    migrate(state.database)
    _seed(settings, state.database, clock)
    errors.install(app)
    for router in _routers():
        app.include_router(router)
    _install_operations(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sweep_for_ever, app)
        yield
        tasks.cancel_scope.cancel()
    database: Database = app.state.database
    database.close()


def _routers() -> list[APIRouter]:
    from observatory.accounts.endpoints import router as accounts
    from observatory.assays.endpoints import router as assays
    from observatory.episodes.bulk_endpoints import router as bulk_episodes
    from observatory.episodes.endpoints import router as episodes
    from observatory.jobs.endpoints import router as jobs
    from observatory.matches.endpoints import router as matches
    from observatory.policies.endpoints import router as policies
    from observatory.policies.legacy_endpoints import router as legacy_policies
    from observatory.seasons.endpoints import router as seasons
    from observatory.store.endpoints import router as store

    return [accounts, seasons, matches, policies, legacy_policies, episodes, bulk_episodes, assays, jobs, store]


def _install_operations(app: FastAPI) -> None:
    """Health, metrics, request ids, limits."""
    from observatory import operations

    operations.install(app)


def _seed(settings: Settings, database: Database, clock: Clock) -> None:
    from observatory.seed import seed_if_empty

    if settings.seed_seasons:
        seed_if_empty(database, clock())


def _operation_id(route: APIRoute) -> str:
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name
