"""Middleware for every request: its id, its log line, its duration."""

from __future__ import annotations

import logging
import random
import re
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from observatory import tracing
from observatory.logs import request_id
from observatory.metrics import Metrics

__all__ = ["RequestMiddleware"]

logger = logging.getLogger("observatory.access")

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._\-]{1,64}")
_TRACEPARENT = re.compile(rb"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_TOKEN = re.compile(r"^(/observatory/games/)[^/]+")
# Other methods are counted as one: clients must not be able to create new series.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
# Monitoring calls these every few seconds; successful calls are not logged.
_QUIET = {"/healthz", "/readyz", "/metrics"}


def loggable(path: str) -> str:
    """Return a path for a log: without the token of a place in a hosted game."""
    return _TOKEN.sub(r"\1...", path)


def _span_name(scope: Scope) -> str:
    """Return a name without ids: the method, and the first part of the path."""
    return f"{scope['method'] if scope['method'] in _METHODS else 'other'} /{scope['path'].split('/')[1]}"


def _parent(headers: dict[bytes, bytes]) -> str | None:
    """Return the trace of the caller. Workers send one; it must look like one."""
    if not tracing.is_on():
        return None
    value = headers.get(b"traceparent", b"")
    return value.decode() if _TRACEPARENT.fullmatch(value) else None


class RequestMiddleware:
    """Gives each request an id (the caller's own when it is a sensible one), and logs and measures it.

    A log line has the path without its query, and who called as far as that is known; see `logs`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        header = headers.get(b"x-request-id", b"")
        # Not from `uuid4`: it asks the system, and the event loop would then wait behind the threads that compute.
        own_id = header.decode() if _REQUEST_ID.fullmatch(header) else f"{random.getrandbits(128):032x}"
        state = scope.setdefault("state", {})
        status = 500
        started = time.perf_counter()

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (b"x-request-id", own_id.encode())]}
            await send(message)

        context = request_id.set(own_id)
        try:
            with tracing.span(_span_name(scope), parent=_parent(headers), request=own_id):
                await self._app(scope, receive, send_with_id)
        finally:
            seconds = time.perf_counter() - started
            metrics: Metrics = scope["app"].state.metrics
            route = getattr(scope.get("route"), "path", "none")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            metrics.requests.labels(method, route, str(status)).observe(seconds)
            if scope["path"] not in _QUIET or status >= 400:
                path = loggable(scope["path"])
                logger.info(
                    "%s %s %s",
                    scope["method"],
                    path,
                    status,
                    extra={
                        "method": scope["method"],
                        "path": path,
                        "status": status,
                        "duration_ms": round(seconds * 1000, 1),
                        "principal": state.get("principal_name"),
                        "address": (scope.get("client") or ("",))[0],
                    },
                )
            request_id.reset(context)
