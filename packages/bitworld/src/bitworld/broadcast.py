"""The scenes of a match for people who watch while it is played.

A match notes the chat and the buttons of each tick, and nothing else. The reader plays them again in a second game, in
its own thread: a watched match draws nothing itself, and a reader can begin at the first tick at any time.

Messages, all numbers little-endian; the first byte is the kind:

| kind | content |
|---|---|
| 5 | the first message: JSON with `game`, `title`, `ticks_per_second` and `hides_secrets` |
| 6 | frames, each: the number of ticks played (u32), the size (u32), messages of the sprite protocol (`wire.sprites`) |

`write_scenes` writes the same messages to a file, each with its size (u32) before it, compressed by zlib.
"""

import json
import struct
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bitworld.game import TICKS_PER_SECOND, Game
from bitworld.wire.sprites import SceneWriter

__all__ = ["OPENING", "SCENES", "Broadcast", "Piece", "Tick", "write_scenes"]

OPENING, SCENES = b"\x05", b"\x06"
MAX_TICKS = 240
"""most ticks in one piece"""
TICKS_PER_FRAME = 3
"""8 pictures a second are enough to follow a game, and a third of the cost of all"""
_FRAME = struct.Struct("<II")
_SIZE = struct.Struct("<I")


@dataclass(frozen=True)
class Piece:
    """Messages up to a tick, and when that tick was played."""

    tick: int
    played_at: float
    """of the monotonic clock"""
    messages: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Tick:
    """The buttons that each player held, what was said before, and when it was played by the monotonic clock."""

    masks: tuple[int, ...]
    chats: tuple[tuple[int, str], ...]
    at: float


class Broadcast:
    """The match so far. The match adds to `ticks` and calls `end`; one other thread calls the rest.

    `new_game` returns the game of the match with its players seated, before the first tick. With `hides_secrets`, the
    scenes show what all players know; else they show everything, roles included.
    """

    def __init__(self, new_game: Callable[[], Game], ticks: Sequence[Tick], *, hides_secrets: bool) -> None:
        self.has_ended = False
        self._new_game, self._ticks, self._hides_secrets = new_game, ticks, hides_secrets
        self._began = time.monotonic()
        self._game: Game | None = None
        self._writer = SceneWriter()
        self._position = 0
        """ticks that were read"""
        self._drawn = 0
        """the tick of the last frame"""

    def end(self) -> None:
        """Note that no ticks follow."""
        self.has_ended = True

    def mark_soon(self) -> None:
        """Do nothing: every tick has its time."""

    def rewind(self) -> None:
        """Let `read` begin with the first tick again."""
        self._game, self._writer, self._position = None, SceneWriter(), 0
        self._drawn = 0

    @property
    def has_more(self) -> bool:
        """Return whether there is something to read."""
        return self._game is None or self._position < len(self._ticks) or self._lacks_last_frame

    @property
    def _lacks_last_frame(self) -> bool:
        return self.has_ended and self._drawn < self._position == len(self._ticks)

    def read(self) -> Iterator[Piece]:
        """Yield what was played and not read before; the state before the first tick first."""
        last = len(self._ticks)  # the match may add others meanwhile
        if self._game is None:
            self._game = self._new_game()
            yield Piece(0, self._began, [OPENING + self._opening(self._game), SCENES + self._frame(self._game)])
        while self._position < last:
            end = min(last, self._position + MAX_TICKS)
            frames = []
            for tick in self._ticks[self._position : end]:
                self._play(self._game, tick)
                if self._lacks_last_frame or self._position % TICKS_PER_FRAME == 0:
                    frames.append(self._frame(self._game))
            if frames:
                yield Piece(end, self._ticks[end - 1].at, [SCENES + b"".join(frames)])
        if self._lacks_last_frame:  # the match ended after its last tick was read
            yield Piece(last, self._ticks[last - 1].at, [SCENES + self._frame(self._game)])

    def _opening(self, game: Game) -> bytes:
        document = {
            "game": game.name,
            "title": game.title,
            "ticks_per_second": TICKS_PER_SECOND,
            "hides_secrets": self._hides_secrets,
        }
        return json.dumps(document, separators=(",", ":")).encode()

    def _play(self, game: Game, tick: Tick) -> None:
        for player, text in tick.chats:
            game.chat(player, text)
        game.step(tick.masks)
        self._position += 1

    def _frame(self, game: Game) -> bytes:
        self._drawn = self._position
        scene = self._writer.update(game.public_scene() if self._hides_secrets else game.scene())
        return _FRAME.pack(self._position, len(scene)) + scene


def write_scenes(path: Path, new_game: Callable[[], Game], ticks: Sequence[Tick]) -> None:
    """Write the scenes of a match that is over, secrets included."""
    broadcast = Broadcast(new_game, ticks, hides_secrets=False)
    broadcast.end()
    packer = zlib.compressobj()
    with path.open("wb") as file:
        for piece in broadcast.read():
            for message in piece.messages:
                file.write(packer.compress(_SIZE.pack(len(message)) + message))
        file.write(packer.flush())
