"""Middleware and operational routes that every server has."""

from __future__ import annotations

from fastapi import FastAPI

from observatory.http.cached import CacheMiddleware
from observatory.operations.forwarding import ForwardedMiddleware
from observatory.operations.prefixes import PrefixMiddleware
from observatory.operations.requests import RequestMiddleware
from observatory.routes.operations import router

__all__ = ["install"]


def install(app: FastAPI) -> None:
    """Health, metrics, request ids, limits, and the same routes under every published prefix."""
    app.include_router(router)
    app.add_middleware(CacheMiddleware)
    app.add_middleware(RequestMiddleware)
    app.add_middleware(PrefixMiddleware)
    app.add_middleware(ForwardedMiddleware)
