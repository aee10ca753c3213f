"""Who may do what: links hold a token, and a token stands for rights."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from typing import Literal

__all__ = ["Grant", "Rights", "Tokens"]

Rights = Literal["host", "player", "watch"]


@dataclass(frozen=True)
class Grant:
    """`host` may do everything, `player` watch and drive, `watch` only watch. With `slot` it is for one cog."""

    rights: Rights
    slot: int | None = None

    def may_drive(self, slot: int) -> bool:
        return self.rights == "host" or (self.rights == "player" and self.slot in (None, slot))


class Tokens:
    """All tokens of a server; they are good for as long as it runs."""

    def __init__(self) -> None:
        self._grants: dict[str, Grant] = {}

    def new(self, grant: Grant) -> str:
        token = secrets.token_urlsafe(24)
        self._grants[token] = grant
        return token

    def grant(self, token: str) -> Grant | None:
        """What a token stands for; how long the answer takes says nothing about the tokens there are."""
        given = token.encode()
        found = None
        for known, grant in self._grants.items():
            if hmac.compare_digest(known.encode(), given):
                found = grant
        return found
