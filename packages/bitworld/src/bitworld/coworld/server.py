"""The server of an episode: a seat needs its token."""

import hmac
from collections.abc import Sequence

from bitworld.coworld.episode import EpisodeMatch
from bitworld.server import Clock, GameServer
from bitworld.server.connection import Connection
from bitworld.server.requests import Head, Response, text
from bitworld.server.server import PLAYER, SPRITE_PLAYERS

__all__ = ["EpisodeServer"]


class EpisodeServer(GameServer):
    """`/player` and `/sprite_player` for holders of a slot's token, `/global` and `/reward` for everyone."""

    def __init__(self, match: EpisodeMatch, tokens: Sequence[str], *, clock: Clock, host: str, port: int) -> None:
        super().__init__(match, clock=clock, host=host, port=port)
        self._tokens = [token.encode() for token in tokens]

    def refuse(self, connection: Connection, head: Head) -> Response | None:
        if head.path != PLAYER and head.path not in SPRITE_PLAYERS:
            return None
        slot, token = head.query.get("slot", ""), head.query.get("token", "")
        is_slot = slot.isascii() and slot.isdecimal() and len(slot) < 4 and int(slot) < len(self._tokens)
        if not is_slot or not hmac.compare_digest(self._tokens[int(slot)], token.encode(errors="replace")):
            return text(403, "unknown slot or wrong token\n")
        return None
