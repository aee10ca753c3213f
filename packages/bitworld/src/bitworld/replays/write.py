"""Write a `.bitreplay` file while a game runs."""

import json
from typing import BinaryIO

from bitworld.game import Game
from bitworld.replays.records import (
    LENGTH,
    MAGIC,
    TIME,
    Chat,
    Hash,
    Input,
    Join,
    Leave,
    Record,
    Restart,
    text_bytes,
    time_of,
)

__all__ = ["Recorder", "ReplayWriter"]

PUBLISHED, CURRENT = 3, 4


class ReplayWriter:
    """Append records to a seekable file. It has version 3, which published readers know, until a record needs 4."""

    def __init__(
        self,
        file: BinaryIO,
        *,
        game: str,
        game_version: str,
        config_text: str,
        start_ms: int = 0,
        is_published: bool = False,
    ) -> None:
        """Write the header. With `is_published`, leave out what version 3 does not have."""
        self._file = file
        self.version = PUBLISHED
        self._is_published = is_published
        head = MAGIC + LENGTH.pack(self.version) + text_bytes(game) + text_bytes(game_version)
        self._file.write(head + TIME.pack(start_ms) + text_bytes(config_text))

    def write(self, record: Record) -> None:
        if isinstance(record, Chat | Restart):
            if self._is_published:
                return
            self._raise_version()
        self._file.write(record.encode())

    def flush(self) -> None:
        self._file.flush()

    def _raise_version(self) -> None:
        if self.version == PUBLISHED:
            self.version = CURRENT
            end = self._file.tell()
            self._file.seek(len(MAGIC))
            self._file.write(LENGTH.pack(self.version))
            self._file.seek(end)


class Recorder:
    """Apply joins, leaves, chat and steps to a game, and record them if there is a file."""

    def __init__(self, game: Game, file: BinaryIO | None, *, start_ms: int = 0, is_published: bool = False) -> None:
        self.game = game
        self.writer = None if file is None else _writer(file, game, start_ms, is_published)
        self._masks: list[int] = []

    @property
    def _time(self) -> int:
        return time_of(self.game.tick)

    def join(self, name: str, slot: int = -1, token: str = "") -> int:
        player = self.game.join(name, slot, token)
        self._write(Join(self._time, player, name, slot, token))
        self._masks.insert(player, 0)
        return player

    def leave(self, player: int) -> None:
        self._write(Leave(self._time, player))
        self.game.leave(player)
        del self._masks[player]

    def chat(self, player: int, text: str) -> bool:
        is_accepted = self.game.chat(player, text)
        if is_accepted:
            self._write(Chat(self._time, player, text))
        return is_accepted

    def step(self, masks: list[int]) -> None:
        time = self._time
        for player, mask in enumerate(masks):
            if mask != self._masks[player]:
                self._write(Input(time, player, mask))
        self._masks = list(masks)
        self.game.step(masks)
        if self.writer is not None:
            self.writer.write(Hash(self.game.tick, self.game.state_hash()))
        if self.game.tick == 0:  # back in the lobby, without players
            self._masks = [0] * len(self.game.seats)

    def restart(self, game: Game) -> None:
        """Continue with a new game of the same configuration."""
        self._write(Restart(self._time))
        self.game = game
        self._masks = []

    def flush(self) -> None:
        if self.writer is not None:
            self.writer.flush()

    def _write(self, record: Record) -> None:
        if self.writer is not None:
            self.writer.write(record)


def _writer(file: BinaryIO, game: Game, start_ms: int, is_published: bool) -> ReplayWriter:
    return ReplayWriter(
        file,
        game=game.name,
        game_version=game.version,
        config_text=json.dumps(game.config, separators=(",", ":")),
        start_ms=start_ms,
        is_published=is_published,
    )
