"""Play over a socket: read the sprite stream of `/sprite_player`, send buttons and chat."""

import asyncio
from collections.abc import Callable
from typing import Protocol
from urllib.parse import urlencode, urlsplit, urlunsplit

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from bitworld.players.among_them import THINK_TICKS, AmongThemBot, Move
from bitworld.scene import Scene
from bitworld.wire.sprites import SceneReader
from bitworld.wire.viewers import PlayerButtons, Text, encode_client

__all__ = ["BOTS", "Bot", "play", "player_url"]


class Bot(Protocol):
    """Decides what to do after a look at the screen."""

    def act(self, scene: Scene) -> Move: ...


BOTS: dict[str, Callable[[int], Bot]] = {"among_them": AmongThemBot}
"""scripted players by game; called with a seed"""

PATH = "/sprite_player"
LARGEST_MESSAGE = 1 << 24


def player_url(address: str, name: str, slot: int | None = None, token: str = "") -> str:
    """Return the address of a player's socket from the server's, `ws://host:port` or `http://host:port`."""
    parts = urlsplit(address)
    scheme = {"http": "ws", "https": "wss"}.get(parts.scheme, parts.scheme)
    if scheme not in ("ws", "wss") or not parts.netloc:
        raise ValueError(f"{address!r} is not the address of a game server; it must look like ws://127.0.0.1:8080")
    query = {"name": name, **({} if slot is None else {"slot": str(slot)}), **({"token": token} if token else {})}
    return urlunsplit((scheme, parts.netloc, PATH, urlencode(query), ""))


async def play(bot: Bot, url: str) -> int:
    """Play until the server closes the connection; return the number of messages. Raises `OSError` if there is none.

    Every message is answered, because a server in stepped mode waits for that.
    """
    reader, count, mask = SceneReader(), 0, 0
    async with connect(url, max_size=LARGEST_MESSAGE, compression=None, proxy=None) as socket:
        try:
            async for message in socket:
                if isinstance(message, str):
                    continue
                reader.feed(message)
                if count % THINK_TICKS == 0:
                    move = bot.act(reader.scene)
                    mask = move.mask
                    if move.text is not None:
                        await socket.send(encode_client(Text(move.text)))
                await socket.send(encode_client(PlayerButtons(mask)))
                count += 1
        except ConnectionClosed:
            pass  # the game is over
    return count


async def play_many(game: str, address: str, count: int, *, seed: int = 0, name: str = "bot") -> None:
    """Play with several scripted players until all connections are closed."""
    make = BOTS[game]
    names = [f"{name}_{number}" for number in range(count)]
    await asyncio.gather(*(play(make(seed + number), player_url(address, one)) for number, one in enumerate(names)))
