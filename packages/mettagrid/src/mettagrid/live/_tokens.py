"""Access rights: each link carries a token, and each token maps to rights."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from typing import Literal

__all__ = ["Grant", "Rights", "Tokens"]

Rights = Literal["host", "player", "watch"]


@dataclass(frozen=True)
class Grant:
    """Rights: `host` may do everything, `player` watch and drive, `watch` only watch. `slot` limits them to one cog."""

    rights: Rights
    slot: int | None = None

    def may_drive(self, slot: int) -> bool:
        return self.rights == "host" or (self.rights == "player" and self.slot in (None, slot))


class Tokens:
    """All tokens of a server; they are valid for as long as it runs."""

    def __init__(self) -> None:
        self._grants: dict[str, Grant] = {}

    def new(self, grant: Grant) -> str:
        token = secrets.token_urlsafe(24)
        self._grants[token] = grant
        return token

    def grant(self, token: str) -> Grant | None:
        """Return the rights of a token, comparing in constant time."""
        given = token.encode()
        match = None
        for known, grant in self._grants.items():
            if hmac.compare_digest(known.encode(), given):
                match = grant
        return match
