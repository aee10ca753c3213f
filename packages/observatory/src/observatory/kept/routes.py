"""Where answers are kept: the class of routes that say what theirs are made from, and what asks before all routes."""

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
"""a large answer may be late; what is small, and what changes right after this, goes first"""


def kept(*tables: str, personal: bool = False) -> type[Route]:
    """The class of routes whose answers are made from these tables; `personal` when each person gets their own."""

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
    """Gives what is kept without asking the routes; one that is late is made anew after it was given."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        answers: KeptAnswers = scope["app"].state.kept_answers
        response, late = answers.at_once(Request(scope))
        if late is not None:
            answers.aside(late, lambda: self._make_anew(scope))
        await (self._app if response is None else response)(scope, receive, send)

    async def _make_anew(self, scope: Scope) -> None:
        """Ask the route as if somebody else had come, whom nobody counts and who does not listen."""
        await asyncio.sleep(GATHER_SECONDS)
        state = {**scope.get("state", {}), "is_counted": True}
        try:
            await self._app({**scope, "state": state}, _nothing, _ignore)
        except Exception:
            logger.exception("The answer to %s could not be made anew", scope["path"])


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignore(message: Message) -> None:
    pass
