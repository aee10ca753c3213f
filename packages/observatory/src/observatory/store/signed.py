"""Signed URLs of the folder store."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from observatory.clock import Clock
from observatory.errors import Forbidden

__all__ = ["Permit", "UrlSigner"]

PATH = "/store/"


@dataclass(frozen=True)
class Permit:
    """The permission in a URL. `once` is a name that one upload consumes; empty if the URL may be reused."""

    method: str
    key: str
    until: int
    content_type: str = ""
    max_bytes: int = 0
    once: str = ""

    def text(self) -> str:
        parts = (self.method, self.key, str(self.until), self.content_type, str(self.max_bytes), self.once)
        return "\n".join(parts)


class UrlSigner:
    """Creates and checks signed URLs. The signature covers the whole permit."""

    def __init__(self, secret: bytes, base_url: str, clock: Clock) -> None:
        self._key = hmac.digest(secret, b"store urls", hashlib.sha256)
        self._base_url = base_url
        self._clock = clock

    def upload(self, key: str, *, content_type: str, max_bytes: int, seconds: int, replace: bool) -> str:
        once = "" if replace else secrets.token_hex(16)
        return self._url(Permit("PUT", key, self._until(seconds), content_type, max_bytes, once))

    def download(self, key: str, *, seconds: int) -> str:
        return self._url(Permit("GET", key, self._until(seconds)))

    def check(self, permit: Permit, signature: str) -> None:
        """Raise `Forbidden` if the signature is wrong or the permit has expired."""
        expected = self._signature(permit)
        if not hmac.compare_digest(expected.encode(), signature.encode(errors="replace")):
            raise Forbidden("The signature of this URL is wrong; ask for a new URL")
        if permit.until < self._clock().timestamp():
            raise Forbidden("This URL has expired; ask for a new URL")

    def _until(self, seconds: int) -> int:
        return int(self._clock().timestamp()) + seconds

    def _url(self, permit: Permit) -> str:
        query = {"method": permit.method, "until": permit.until}
        if permit.method == "PUT":
            query |= {"type": permit.content_type, "max": permit.max_bytes, "once": permit.once}
        query["signature"] = self._signature(permit)
        return f"{self._base_url}{PATH}{quote(permit.key)}?{urlencode(query)}"

    def _signature(self, permit: Permit) -> str:
        return hmac.digest(self._key, permit.text().encode(errors="replace"), hashlib.sha256).hex()
