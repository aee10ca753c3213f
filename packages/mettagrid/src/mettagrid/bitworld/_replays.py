"""Check and trim `.bitreplay` files of Among Them without the game; docs/concepts/bitworld.md has the format."""

from collections.abc import Iterator
from pathlib import Path

MAGIC = b"BITWORLD"
GAME, GAME_VERSION = "among_them", "1"
FIRST_ROUND_VERSION = 3
"""readers stop after the first game of such a file; version 4 continues"""
VERSIONS = (3, 4)
_HASH, _INPUT, _JOIN, _LEAVE, _CHAT, _RESTART = 1, 2, 3, 4, 5, 6


def validate_bitworld_replay_bytes(data: bytes | bytearray | memoryview) -> None:
    """Raise `ValueError` unless the bytes are a whole replay of Among Them with a join and a tick hash."""
    kinds = {kind for kind, _, _ in _File(bytes(data)).records()}
    if _JOIN not in kinds:
        raise ValueError("BitWorld replay does not contain player joins")
    if _HASH not in kinds:
        raise ValueError("BitWorld replay does not contain tick hashes")


def trim_bitworld_replay_to_first_round(replay_path: Path) -> bool:
    """Cut a file before the first hash whose tick does not increase; return whether the file changed.

    Files of version 4 stay as they are: all their games can be replayed.
    """
    content = replay_path.read_bytes()
    file = _File(content)
    last = -1
    for kind, begin, tick in file.records():
        if kind != _HASH:
            continue
        if tick <= last and file.version == FIRST_ROUND_VERSION:
            replay_path.write_bytes(content[:begin])
            return True
        last = tick
    return False


class _File:
    """The version of a replay, and its records as (kind, offset, tick); the tick is -1 unless the record is a hash."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0
        if not data.startswith(MAGIC):
            raise ValueError("BitWorld replay magic is not BITWORLD")
        self._take(len(MAGIC))
        self.version = self._number(2)
        if self.version not in VERSIONS:
            raise ValueError(f"Unsupported BitWorld replay format version: {self.version}")
        game, game_version = self._text(), self._text()
        if game != GAME:
            raise ValueError(f"BitWorld replay game name does not match: {game}")
        if game_version != GAME_VERSION:
            raise ValueError(f"BitWorld replay game version does not match: {game_version}")
        self._take(8)
        self._text()

    def records(self) -> Iterator[tuple[int, int, int]]:
        while self._at < len(self._data):
            begin, tick = self._at, -1
            kind = self._number(1)
            if kind == _HASH:
                tick = self._number(4)
                self._take(8)
            elif kind == _INPUT:
                self._take(6)
            elif kind == _JOIN:
                self._take(5)
                self._text()
                self._take(2)
                self._text()
            elif kind == _LEAVE:
                self._take(5)
            elif kind == _CHAT and self.version != FIRST_ROUND_VERSION:
                self._take(5)
                self._text()
            elif kind == _RESTART and self.version != FIRST_ROUND_VERSION:
                self._take(4)
            else:
                raise ValueError(f"Unknown BitWorld replay record type {kind} at byte {begin}")
            yield kind, begin, tick

    def _take(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise ValueError(f"BitWorld replay is truncated at byte {self._at}")
        self._at += count
        return self._data[self._at - count : self._at]

    def _number(self, count: int) -> int:
        return int.from_bytes(self._take(count), "little")

    def _text(self) -> str:
        return self._take(self._number(2)).decode()
