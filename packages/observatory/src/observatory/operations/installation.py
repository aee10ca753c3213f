"""Middleware and operational routes that every server has."""

from __future__ import annotations

from fastapi import FastAPI

from observatory.accounts.tokens_used import TokensUsed
from observatory.http.cached import CacheMiddleware
from observatory.http.rate_limits import RateLimits
from observatory.http.shared_rates import SharedRates
from observatory.jobs.affinity import Affinity
from observatory.jobs.workers_seen import WorkersSeen
from observatory.metrics import Metrics
from observatory.operations.forwarding import ForwardedMiddleware
from observatory.operations.prefixes import PrefixMiddleware
from observatory.operations.requests import RequestMiddleware
from observatory.pages.streams import StreamSlots
from observatory.routes.operations import router

__all__ = ["install"]


def install(app: FastAPI) -> None:
    """Health, metrics, request ids, limits, and the same routes under every published prefix."""
    app.state.metrics = Metrics()
    app.state.rate_limits = RateLimits(app.state.settings, app.state.metrics, app.state.keys.secret)
    limiters = app.state.rate_limits.limiters
    app.state.shared_rates = SharedRates(app.state.database, limiters, always=frozenset({"sign in"}))
    app.state.workers_seen = WorkersSeen()
    app.state.affinity = Affinity()
    app.state.tokens_used = TokensUsed()
    app.state.event_streams = StreamSlots()
    app.state.stopping = False
    app.include_router(router)
    app.add_middleware(CacheMiddleware)
    app.add_middleware(RequestMiddleware, metrics=app.state.metrics)
    app.add_middleware(PrefixMiddleware)
    app.add_middleware(ForwardedMiddleware)
