"""Short texts that the server signs and later recognises: cookies, states of a sign-in elsewhere, operator tokens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any

__all__ = ["Signer"]


class Signer:
    """Signs small JSON documents for one purpose; what was signed for another purpose is not recognised."""

    def __init__(self, secret_key: bytes, purpose: str) -> None:
        self._key = hmac.digest(secret_key, purpose.encode(), hashlib.sha256)

    def sign(self, content: dict[str, Any], *, seconds: float) -> str:
        """A text of letters, digits, `-`, `_` and one dot, good for this long."""
        document = json.dumps({**content, "until": int(time.time() + seconds)}, separators=(",", ":"))
        body = _encode(document.encode())
        return f"{body}.{self.mac(body)}"

    def read(self, text: str | None) -> dict[str, Any] | None:
        """What was signed; None when it was not, not by us, or for a time that is over."""
        body, _, mac = (text or "").partition(".")
        if not text or not text.isascii() or not hmac.compare_digest(mac, self.mac(body)):
            return None
        content: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return content if content["until"] > time.time() else None

    def mac(self, text: str) -> str:
        """A keyed hash of a text."""
        return _encode(hmac.digest(self._key, text.encode(), hashlib.sha256))


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
