"""Routes that know their caller before they read a body.

FastAPI reads a body first and asks who sent it afterwards. A `Route` with a body checks the rate limit, the caller's
rights and the announced length before the first byte is read. The rights are those of the dependencies that the
endpoint declares (`CurrentPrincipal`, `Writer`, `CurrentUser`, `Admin`); `body_rule` names another check, or a larger
limit.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from sqlalchemy.orm import Session

from observatory.http.bodies import KILOBYTE, LimitedRequest, check_length
from observatory.http.callers import caller_check
from observatory.settings import Settings

__all__ = ["BodyRule", "Route", "Router", "body_rule"]

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
Handler = Callable[[Request], Coroutine[Any, Any, Response]]
CallerCheck = Callable[[Request, Session], object]

DEFAULT_BYTES = 64 * KILOBYTE
_RULE = "_observatory_body_rule"


@dataclass(frozen=True)
class BodyRule:
    """What is checked before a body is read."""

    max_bytes: Callable[[Settings], int]
    caller: CallerCheck | None = None
    """raises a refusal for a caller whose body is not read; None takes the rights of the endpoint's dependencies"""


def body_rule(
    max_bytes: int | Callable[[Settings], int] = DEFAULT_BYTES, *, caller: CallerCheck | None = None
) -> Callable[[Endpoint], Endpoint]:
    """Give an endpoint another limit than 64 kB, or another check of its caller. Below `@router.post(...)`."""
    limit = max_bytes if callable(max_bytes) else at_most(max_bytes)

    def mark(endpoint: Endpoint) -> Endpoint:
        endpoint.__dict__[_RULE] = BodyRule(limit, caller)
        return endpoint

    return mark


def at_most(size: int) -> Callable[[Settings], int]:
    """Limit a body to a size, or to the operator's `max_body_bytes` where that is less."""
    return lambda settings: min(size, settings.max_body_bytes)


class Route(APIRoute):
    """Reads the body of a request after its caller is known, up to the limit of the route."""

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()
        if self.body_field is None:
            return handler
        rule: BodyRule = getattr(self.endpoint, _RULE, None) or BodyRule(at_most(DEFAULT_BYTES))
        check = rule.caller or caller_check(set(_calls(self.dependant)))
        form_fields = frozenset(field.alias for field in self.dependant.body_params)

        async def guarded(request: Request) -> Response:
            state = request.app.state
            if not getattr(request.state, "is_counted", False):
                state.rate_limits.check(request)
                request.state.is_counted = True
            if check is not None:
                await state.database.query(lambda session: check(request, session))
            max_bytes = rule.max_bytes(state.settings)
            check_length(request, max_bytes)
            limits: dict[str, Any] = {"max_bytes": max_bytes, "form_fields": form_fields}
            return await handler(LimitedRequest(request.scope, request.receive, request._send, **limits))

        return guarded


class Router(APIRouter):
    """A router of such routes."""

    def __init__(self, *, route_class: type[APIRoute] = Route, **options: Any) -> None:
        super().__init__(route_class=route_class, **options)


def _calls(dependant: Dependant) -> Iterator[Callable[..., Any]]:
    """Yield the functions that a route depends on, directly or through others."""
    for dependency in dependant.dependencies:
        if dependency.call is not None:
            yield dependency.call
        yield from _calls(dependency)
