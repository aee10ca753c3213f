"""Send files of the store: through the server, or for browsers by a redirect to the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from observatory.http.deps import SettingsDep, StoreDep
from observatory.settings import Settings
from observatory.store import Missing, Store

__all__ = ["FilesDep", "StoredFiles"]

_SAFE = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox"}


@dataclass(frozen=True)
class StoredFiles:
    """Sends objects to one client. Published clients do not follow redirects, browsers do and say who they are."""

    store: Store
    settings: Settings
    is_browser: bool

    def send(self, key: str, *, content_type: str) -> Response:
        """Return an object, or where the browser finds it, with ranges; raise `Missing` if there is none."""
        if not (self.store.is_remote and self.is_browser):
            return StreamingResponse(self.store.stream(key), media_type=content_type, headers=_SAFE)
        if self.store.size(key) is None:
            raise Missing(key)
        url = self.store.download_url(key, seconds=self.settings.download_url_seconds, content_type=content_type)
        return RedirectResponse(url, 307, headers={"Cache-Control": "no-store"})


def _files(request: Request, store: StoreDep, settings: SettingsDep) -> StoredFiles:
    return StoredFiles(store, settings, "sec-fetch-mode" in request.headers)


FilesDep = Annotated[StoredFiles, Depends(_files)]
