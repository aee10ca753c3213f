"""Endpoints with cached responses, and the middleware that serves cached responses before routing."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from fastapi import Request, Response
from pydantic import TypeAdapter
from sqlalchemy.orm import Session
from starlette.types import ASGIApp, Receive, Scope, Send

from observatory.clock import Now
from observatory.events import ChangeKind
from observatory.http.response_cache import ResponseCache, Rule

__all__ = ["CacheMiddleware", "cached"]

Endpoint = Callable[..., Any]


def cached(*dependencies: ChangeKind, per_viewer: bool = False) -> Callable[[Endpoint], Endpoint]:
    """Cache the responses of an endpoint until one of its dependencies changes. Below `@router.get(...)`.

    The endpoint takes a `session` that only reads, and sets headers on a `response` if it takes one. It must depend on
    nothing else of the request than the address and the viewer: without `per_viewer`, all who are not administrators
    get the same response.
    """
    rule = Rule(dependencies, per_viewer)

    def decorate(endpoint: Endpoint) -> Endpoint:
        signature = inspect.signature(endpoint, eval_str=True)
        if any(parameter.annotation in (Request, Now) for parameter in signature.parameters.values()):
            raise TypeError(f"{endpoint.__name__} is cached, so it cannot depend on one request or its time")
        has_response = "response" in signature.parameters

        @functools.cache
        def adapter() -> TypeAdapter[Any]:
            return TypeAdapter(signature.return_annotation)

        async def respond(request_to_cache: Request, **arguments: Any) -> Response:
            def compute(session: Session) -> tuple[bytes, dict[str, str]]:
                response = Response(media_type="application/json")
                extra = {"response": response} if has_response else {}
                value = adapter().validate_python(endpoint(session=session, **arguments, **extra))
                headers = {name: text for name, text in response.headers.items() if name != "content-length"}
                return adapter().dump_json(value, by_alias=True), headers

            cache: ResponseCache = request_to_cache.app.state.response_cache
            return await cache.respond(request_to_cache, rule, compute)

        own = [parameter for name, parameter in signature.parameters.items() if name not in ("session", "response")]
        request = inspect.Parameter("request_to_cache", inspect.Parameter.KEYWORD_ONLY, annotation=Request)
        keywords = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        functools.update_wrapper(respond, endpoint)
        del respond.__dict__["__wrapped__"]  # its signature is another
        respond.__signature__ = signature.replace(parameters=[request, *keywords])  # type: ignore[attr-defined]
        return respond

    return decorate


class CacheMiddleware:
    """Serves cached responses before routing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response: Response | None = None
        if scope["type"] == "http" and scope["method"] == "GET":
            cache: ResponseCache = scope["app"].state.response_cache
            response = await cache.lookup(Request(scope))
        await (self._app if response is None else response)(scope, receive, send)
