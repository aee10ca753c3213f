"""The packets that a player sends: held buttons, and chat."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from mettagrid.bitworld._actions import BUTTON_TO_MASK, encode_buttons

PACKET_INPUT = 0
PACKET_CHAT = 1
INPUT_PACKET_BYTES = 2
CHAT_PACKET_HEADER_BYTES = 1
RESET_INPUT_MASK = 0xFF
RESET_INPUT_PACKET = bytes((PACKET_INPUT, RESET_INPUT_MASK))


def pack_input_packet(mask: int) -> bytes:
    if not 0 <= mask <= 255:
        raise ValueError(f"BitWorld input mask must be in [0, 255], got {mask}")
    return bytes((PACKET_INPUT, mask))


def unpack_input_packet(packet: bytes | bytearray | memoryview) -> int:
    if len(packet) != INPUT_PACKET_BYTES or packet[0] != PACKET_INPUT:
        raise ValueError("BitWorld input packets must be two bytes: packet kind 0 followed by a button mask")
    return packet[1]


def pack_chat_packet(text: str) -> bytes:
    """Return the packet of a text without the whitespace around it."""
    text = text.strip()
    if not text:
        raise ValueError("BitWorld chat packets require non-empty text")
    return bytes((PACKET_CHAT,)) + _printable(text).encode("ascii")


def unpack_chat_packet(packet: bytes | bytearray | memoryview) -> str:
    if len(packet) <= CHAT_PACKET_HEADER_BYTES or packet[0] != PACKET_CHAT:
        raise ValueError("BitWorld chat packets must start with packet kind 1")
    return _printable(bytes(packet[CHAT_PACKET_HEADER_BYTES:]).decode("latin-1"))


def _printable(text: str) -> str:
    if not all(" " <= character <= "~" for character in text):
        raise ValueError("BitWorld chat text must be printable ASCII")
    return text


class ControllerState(BaseModel):
    """The buttons of a player by name."""

    model_config = ConfigDict(frozen=True)

    up: bool = False
    down: bool = False
    left: bool = False
    right: bool = False
    select: bool = False
    a: bool = False
    b: bool = False

    @classmethod
    def from_mask(cls, mask: int) -> ControllerState:
        """Return the state of a mask; bits without a button have no effect."""
        return cls(**{name: bool(mask & bit) for name, bit in BUTTON_TO_MASK.items()})

    def mask(self) -> int:
        return encode_buttons(name for name in BUTTON_TO_MASK if getattr(self, name))

    def packet(self) -> bytes:
        return pack_input_packet(self.mask())
