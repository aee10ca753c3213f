"""The records of a replay file and their bytes. All numbers are little-endian."""

import struct
from dataclasses import dataclass, field
from enum import IntEnum

from bitworld.game import TICKS_PER_SECOND

__all__ = [
    "MAGIC",
    "Chat",
    "Hash",
    "Input",
    "Join",
    "Leave",
    "Record",
    "RecordType",
    "Restart",
    "step_at",
    "text_bytes",
    "time_of",
]

MAGIC = b"BITWORLD"

LENGTH = struct.Struct("<H")
TIME = struct.Struct("<Q")
HASH = struct.Struct("<IQ")
INPUT = struct.Struct("<IBB")
EVENT = struct.Struct("<IB")
"""time and player, the beginning of a join, a leave and a chat"""
SLOT = struct.Struct("<h")
RESTART = struct.Struct("<I")


class RecordType(IntEnum):
    HASH = 1
    INPUT = 2
    JOIN = 3
    LEAVE = 4
    CHAT = 5
    """since version 4"""
    RESTART = 6
    """since version 4"""


@dataclass(frozen=True, slots=True)
class Hash:
    """The state after a step. The tick is 0 if the step has returned the game to the lobby."""

    tick: int
    hash: int
    offset: int = field(default=0, compare=False)
    """where the record begins in its file"""

    def encode(self) -> bytes:
        return bytes((RecordType.HASH,)) + HASH.pack(self.tick, self.hash)


@dataclass(frozen=True, slots=True)
class Input:
    """The buttons that a player holds from a time on."""

    time: int
    player: int
    mask: int
    offset: int = field(default=0, compare=False)

    def encode(self) -> bytes:
        return bytes((RecordType.INPUT,)) + INPUT.pack(self.time, self.player, self.mask)


@dataclass(frozen=True, slots=True)
class Join:
    time: int
    player: int
    name: str
    slot: int
    """the requested slot; -1 for an automatic one"""
    token: str
    offset: int = field(default=0, compare=False)

    def encode(self) -> bytes:
        head = bytes((RecordType.JOIN,)) + EVENT.pack(self.time, self.player)
        return head + text_bytes(self.name) + SLOT.pack(self.slot) + text_bytes(self.token)


@dataclass(frozen=True, slots=True)
class Leave:
    time: int
    player: int
    offset: int = field(default=0, compare=False)

    def encode(self) -> bytes:
        return bytes((RecordType.LEAVE,)) + EVENT.pack(self.time, self.player)


@dataclass(frozen=True, slots=True)
class Chat:
    """A message that the game has accepted."""

    time: int
    player: int
    text: str
    offset: int = field(default=0, compare=False)

    def encode(self) -> bytes:
        return bytes((RecordType.CHAT,)) + EVENT.pack(self.time, self.player) + text_bytes(self.text)


@dataclass(frozen=True, slots=True)
class Restart:
    """The match was replaced by a new game with the same configuration and no players."""

    time: int
    offset: int = field(default=0, compare=False)

    def encode(self) -> bytes:
        return bytes((RecordType.RESTART,)) + RESTART.pack(self.time)


Record = Hash | Input | Join | Leave | Chat | Restart


def text_bytes(text: str) -> bytes:
    content = text.encode()
    return LENGTH.pack(len(content)) + content


def time_of(tick: int) -> int:
    """Return the time of a tick, in milliseconds."""
    return tick * 1000 // TICKS_PER_SECOND


def step_at(time: int) -> int:
    """Return the number of steps that a game takes before a record of this time applies."""
    return -(-time * TICKS_PER_SECOND // 1000)
