"""Signed short texts: cookies, OAuth states, operator tokens, cursors."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any

__all__ = ["Signer"]


class Signer:
    """Signs small JSON documents for one purpose; a signature for another purpose is not valid."""

    def __init__(self, secret_key: bytes, purpose: str) -> None:
        self._key = hmac.digest(secret_key, purpose.encode(), hashlib.sha256)

    def sign(self, content: dict[str, Any], *, seconds: float) -> str:
        """Return a signed text of letters, digits, `-`, `_` and one dot, valid for this long."""
        document = json.dumps({**content, "until": int(time.time() + seconds)}, separators=(",", ":"))
        body = _encode(document.encode())
        return f"{body}.{self.mac(body)}"

    def read(self, text: str | None) -> dict[str, Any] | None:
        """Return the signed content; None if the signature is missing, invalid or expired."""
        body, _, mac = (text or "").partition(".")
        if not text or not self.verifies(body, mac):
            return None
        content: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        return content if content["until"] > time.time() else None

    def mac(self, text: str) -> str:
        """Return a keyed hash of a text."""
        return _encode(hmac.digest(self._key, text.encode(), hashlib.sha256))

    def verifies(self, text: str, mac: str) -> bool:
        """Return whether this is the keyed hash of a text."""
        return text.isascii() and mac.isascii() and hmac.compare_digest(mac, self.mac(text))


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
