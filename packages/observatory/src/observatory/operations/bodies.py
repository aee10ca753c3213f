"""How large a request may be, decided before it is read into memory: most routes know who calls only after that."""

from __future__ import annotations

from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from observatory.settings import MEGABYTE, Settings

__all__ = ["BodyLimitMiddleware"]

# Streamed to disk, each up to the size that its URL allows.
_STREAMED = "/store/"
# A bundle with a form around it.
_FORMS_WITH_BUNDLES = ("/stats/policies/submit",)


class BodyLimitMiddleware:
    """Answers 413 to a body that is too large, whether it says so itself or goes on for too long."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_STREAMED):
            await self._app(scope, receive, send)
            return
        most = _most(scope["path"], scope["app"].state.settings)
        refusal = HTTPException(413, f"Too large: a request may have {most // MEGABYTE} MB")
        said = dict(scope["headers"]).get(b"content-length", b"")
        if said.isdigit() and int(said) > most:
            await JSONResponse({"detail": refusal.detail}, refusal.status_code)(scope, receive, send)
            return
        size = 0

        async def receive_no_more() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                raise refusal
            return message

        await self._app(scope, receive_no_more, send)


def _most(path: str, settings: Settings) -> int:
    return settings.max_bundle_bytes + MEGABYTE if path in _FORMS_WITH_BUNDLES else settings.max_body_bytes
