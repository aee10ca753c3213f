"""Routes with cached responses, and the middleware that serves the cache before routing."""

from __future__ import annotations

import asyncio
import logging

from fastapi import Request, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from observatory.kept.answers import Handler, KeptAnswers, Recipe
from observatory.routing import Route

__all__ = ["KeptMiddleware", "kept"]

logger = logging.getLogger(__name__)

GATHER_SECONDS = 0.25
"""the refresh of a large response waits this long: small requests go first, and later changes are included"""


def kept(*tables: str, personal: bool = False) -> type[Route]:
    """Return a route class that caches responses until these tables change; `personal` caches them per user."""

    class KeptRoute(Route):
        def get_route_handler(self) -> Handler:
            handler = super().get_route_handler()
            if self.methods != {"GET"}:
                return handler
            recipe = Recipe(tables, personal, route=self)

            async def answer(request: Request) -> Response:
                answers: KeptAnswers = request.app.state.kept_answers
                return await answers.answer(request, recipe, handler)

            return answer

    return KeptRoute


class KeptMiddleware:
    """Serve cached responses before routing; refresh a stale response after sending it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        answers: KeptAnswers = scope["app"].state.kept_answers
        response, late = answers.at_once(Request(scope))
        if late is not None:
            answers.aside(late, lambda: self._refresh(scope))
        await (self._app if response is None else response)(scope, receive, send)

    async def _refresh(self, scope: Scope) -> None:
        """Run the route in the background with a null client, outside the rate limits."""
        await asyncio.sleep(GATHER_SECONDS)
        state = {**scope.get("state", {}), "is_counted": True}
        try:
            await self._app({**scope, "state": state}, _nothing, _ignore)
        except Exception:
            logger.exception("The response to %s could not be refreshed", scope["path"])


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignore(message: Message) -> None:
    pass
