"""The sprite protocol, from the client: typed text, the mouse, the buttons of a player."""

import struct
from dataclasses import dataclass

from bitworld.errors import BadMessage
from bitworld.fields import Fields

__all__ = ["ClientMessage", "Mouse", "MouseButton", "PlayerButtons", "Text", "decode_client", "encode_client"]

_TYPE = struct.Struct("<B")
_TEXT = struct.Struct("<H")
_MOUSE = struct.Struct("<hhB")
_BUTTON = struct.Struct("<BB")
_MASK = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class Text:
    """Typed characters: keys of the map viewer, chat of a player."""

    text: str


@dataclass(frozen=True, slots=True)
class Mouse:
    x: int
    y: int
    layer: int


@dataclass(frozen=True, slots=True)
class MouseButton:
    button: int
    """1 left, 2 right, 3 middle"""
    is_down: bool


@dataclass(frozen=True, slots=True)
class PlayerButtons:
    mask: int


ClientMessage = Text | Mouse | MouseButton | PlayerButtons


def decode_client(data: bytes) -> list[ClientMessage]:
    """Return the messages of a client. Raises `BadMessage`; a server ignores such data."""
    fields = Fields(data, BadMessage)
    messages: list[ClientMessage] = []
    while not fields.is_done:
        begin = fields.offset
        (kind,) = fields.unpack(_TYPE)
        if kind == 0x81:
            (length,) = fields.unpack(_TEXT)
            messages.append(Text(fields.text(length, "latin-1")))
        elif kind == 0x82:
            x, y, layer = fields.unpack(_MOUSE)
            messages.append(Mouse(x, y, layer))
        elif kind == 0x83:
            button, down = fields.unpack(_BUTTON)
            if button not in (1, 2, 3) or down > 1:
                raise BadMessage(f"The mouse button at byte {begin} has the unknown code {button} or state {down}")
            messages.append(MouseButton(button, down == 1))
        elif kind == 0x84:
            messages.append(PlayerButtons(*fields.unpack(_MASK)))
        else:
            raise BadMessage(f"The message at byte {begin} has the unknown type {kind:#04x}")
    return messages


def encode_client(message: ClientMessage) -> bytes:
    """Return the bytes of one message."""
    match message:
        case Text(text):
            content = text.encode("latin-1", "replace")
            return _TYPE.pack(0x81) + _TEXT.pack(len(content)) + content
        case Mouse(x, y, layer):
            return _TYPE.pack(0x82) + _MOUSE.pack(x, y, layer)
        case MouseButton(button, is_down):
            return _TYPE.pack(0x83) + _BUTTON.pack(button, is_down)
        case PlayerButtons(mask):
            return _TYPE.pack(0x84) + _MASK.pack(mask)
