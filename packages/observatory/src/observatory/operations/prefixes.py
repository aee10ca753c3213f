"""One set of routes under every base address that published clients use.

Clients of different ages take `http://host`, `http://host/api`, `http://host/observatory` or
`http://host/api/observatory` for the server. The routes exist once, at the root. The pages of the browser live below
`/observatory` by their own names.
"""

from collections.abc import Set

from fastapi.routing import iter_route_contexts
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["PrefixMiddleware", "without_prefix"]

_PREFIXES = ("/api/observatory", "/api", "/observatory")
# Path segments of the pages and of their API: these paths keep the prefix, even if a root route has the same segment.
_OWN = frozenset("api assets games home lobbies manage matches me play policies queue seasons upload viewer".split())
# Segments of pages that the API has as well: the page of one item keeps the prefix, `/observatory/players/ply_...`.
_ITEMS = {"players": "ply_", "episodes": "ereq_"}


def without_prefix(path: str, roots: Set[str]) -> str:
    """Return the path without its prefix; `roots` are the first segments of the routes at the root."""
    if path == "/observatory":
        return path
    if path.startswith("/observatory/"):
        word, *rest = path.split("/")[2:]
        is_item = len(rest) == 1 and rest[0].startswith(_ITEMS.get(word, "/"))
        if word in _OWN or word not in roots or is_item:
            return path
    for prefix in _PREFIXES:
        if path == prefix or path.startswith(prefix + "/"):
            return path[len(prefix) :] or "/"
    return path


class PrefixMiddleware:
    """Removes the prefix of a path before routing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._roots: Set[str] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            if self._roots is None:
                routes = iter_route_contexts(scope["app"].routes)
                self._roots = {route.path.split("/")[1] for route in routes if route.path} - {""}
            path = without_prefix(scope["path"], self._roots)
            if path != scope["path"]:
                scope = {**scope, "path": path, "raw_path": path.encode()}
        await self._app(scope, receive, send)
