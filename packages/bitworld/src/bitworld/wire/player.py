"""The packets of a player: the held buttons, and chat."""

from dataclasses import dataclass
from enum import IntFlag

__all__ = ["RESET_MASK", "Button", "Buttons", "Chat", "PlayerPacket", "decode_packet", "printable"]

RESET_MASK = 0xFF
"""held buttons that ask for a new match"""


class Button(IntFlag):
    UP = 0x01
    DOWN = 0x02
    LEFT = 0x04
    RIGHT = 0x08
    SELECT = 0x10
    A = 0x20
    B = 0x40


@dataclass(frozen=True, slots=True)
class Buttons:
    mask: int
    """all buttons that the player holds now"""

    def encode(self) -> bytes:
        return bytes((0, self.mask))


@dataclass(frozen=True, slots=True)
class Chat:
    text: str

    def encode(self) -> bytes:
        return b"\x01" + self.text.encode("ascii", "ignore")


PlayerPacket = Buttons | Chat


def decode_packet(data: bytes) -> PlayerPacket | None:
    """Return the packet, or None for bytes that are none; a server ignores these."""
    if len(data) == 2 and data[0] == 0:
        return Buttons(data[1])
    if data[:1] == b"\x01":
        return Chat(printable(data[1:].decode("latin-1")))
    return None


def printable(text: str) -> str:
    """Return the text without characters outside of printable ASCII."""
    return "".join(character for character in text if " " <= character <= "~")
