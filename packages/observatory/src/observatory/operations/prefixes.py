"""One set of routes under every base address that published clients use.

Clients of different ages take `http://host`, `http://host/api`, `http://host/observatory` or
`http://host/api/observatory` for the server. The routes exist once, at the root.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["PrefixMiddleware", "without_prefix"]

_PREFIXES = ("/api/observatory", "/api", "/observatory")
# A page of the browser that lives below a prefix by its own name.
_PAGES = ("/observatory/home",)


def without_prefix(path: str) -> str:
    """The path as the routes know it."""
    if path in _PAGES:
        return path
    for prefix in _PREFIXES:
        if path == prefix or path.startswith(prefix + "/"):
            return path[len(prefix) :] or "/"
    return path


class PrefixMiddleware:
    """Takes the prefix away before routing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            path = without_prefix(scope["path"])
            if path != scope["path"]:
                scope = {**scope, "path": path, "raw_path": path.encode()}
        await self._app(scope, receive, send)
