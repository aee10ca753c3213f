"""A player for one seat of an episode.

    python -m bitworld.coworld.player --player wander

The name is in `--player` or `BITWORLD_PLAYER`. The address comes from `COWORLD_PLAYER_WS_URL`, or
`COGAMES_ENGINE_WS_URL` for older runners.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit, urlunsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

from bitworld.coworld.files import required
from bitworld.errors import BitWorldError
from bitworld.wire.player import Button, Buttons
from bitworld.wire.sprites import SceneReader
from bitworld.wire.viewers import PlayerButtons, Text, encode_client

__all__ = ["PLAYERS", "main", "play"]

PATIENCE_SECONDS = 30.0
"""how long to retry a lost connection"""
FINISHED, SEAT_TAKEN = 1000, 4001
MAX_BYTES = 1 << 24
"""of the first message of the sprite protocol, which has the map"""

Answer = Callable[[bytes], list[bytes]]
"""return the messages to send after a message of the game"""

_DIRECTIONS = (Button.UP, Button.DOWN, Button.LEFT, Button.RIGHT)


class SeatLost(BitWorldError):
    """The game closed the seat before its end."""


def _still(seed: int) -> Answer:
    return lambda picture: [Buttons(0).encode()]


def _wander(seed: int) -> Answer:
    """Walk in one direction for a while, then in another; press A now and then."""
    draw = random.Random(seed)
    held, left = 0, 0

    def answer(picture: bytes) -> list[bytes]:
        nonlocal held, left
        if left == 0:
            held, left = draw.choice(_DIRECTIONS), draw.randint(6, 40)
        left -= 1
        return [Buttons(held | (Button.A if draw.random() < 0.2 else 0)).encode()]

    return answer


def _mash(seed: int) -> Answer:
    """Press random buttons, each for some ticks."""
    draw = random.Random(seed)
    held, left = 0, 0

    def answer(picture: bytes) -> list[bytes]:
        nonlocal held, left
        if left == 0:
            held, left = draw.choice((0, *_DIRECTIONS)) | draw.choice((0, Button.A, Button.B)), draw.randint(2, 10)
        left -= 1
        return [Buttons(held).encode()]

    return answer


def _scripted(seed: int) -> Answer:
    """Play Among Them by rules, from the scenes of the sprite protocol."""
    from bitworld.players.among_them import THINK_TICKS, AmongThemBot, Move

    bot, reader, move, tick = AmongThemBot(seed), SceneReader(), Move(), 0

    def answer(message: bytes) -> list[bytes]:
        nonlocal move, tick
        reader.feed(message)
        texts = []
        if tick % THINK_TICKS == 0:
            move = bot.act(reader.scene)
            texts = [] if move.text is None else [encode_client(Text(move.text))]
        tick += 1
        return [*texts, encode_client(PlayerButtons(move.mask))]

    return answer


PLAYERS: dict[str, Callable[[int], Answer]] = {
    "wander": _wander,
    "mash": _mash,
    "still": _still,
    "scripted": _scripted,
}
_WITH_SPRITES = ("scripted",)
"""players that connect to `/sprite_player`"""


def play(address: str, new_answer: Callable[[], Answer]) -> None:
    """Answer every message until the game ends. Reconnect after a lost connection; raise `SeatLost` if that fails."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        why = "it closed the connection"
        try:
            with connect(address, ping_interval=None, compression=None, proxy=None, max_size=MAX_BYTES) as connection:
                answer = new_answer()  # a new connection begins with the whole scene
                for message in connection:
                    deadline = time.monotonic() + PATIENCE_SECONDS
                    assert isinstance(message, bytes)
                    for reply in answer(message):
                        connection.send(reply)
                return  # closed with code 1000 or 1001
        except ConnectionClosed as error:
            code = error.rcvd.code if error.rcvd is not None else 0
            if code == FINISHED:
                return
            if code == SEAT_TAKEN:
                raise SeatLost("A newer connection has the seat") from None
        except (OSError, InvalidHandshake) as error:
            # Do not print the address: it contains the token, and logs are public.
            why = f"it cannot be reached: {type(error).__name__}"
        if time.monotonic() >= deadline:
            raise SeatLost(f"Lost the game before its end: {why}")
        time.sleep(0.2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play one episode; return 0 at its end, 1 after an error message on stderr."""
    parser = argparse.ArgumentParser(prog="python -m bitworld.coworld.player", description="Play one seat.")
    parser.add_argument("--player", choices=PLAYERS, default=os.environ.get("BITWORLD_PLAYER", "wander"))
    parser.add_argument("--seed", type=int, help="seed of the random choices (default: another one each time)")
    options = parser.parse_args(arguments)
    try:
        address = os.environ.get("COWORLD_PLAYER_WS_URL") or required(
            os.environ, "COGAMES_ENGINE_WS_URL", "the runner sets it to the address of the seat"
        )
        if options.player in _WITH_SPRITES:
            address = urlunsplit(urlsplit(address)._replace(path="/sprite_player"))
        seed = random.randrange(1 << 31) if options.seed is None else options.seed
        play(address, lambda: PLAYERS[options.player](seed))
    except BitWorldError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
