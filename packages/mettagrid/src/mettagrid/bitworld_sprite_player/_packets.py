"""What a player of the sprite stream sends: held buttons and chat."""

from mettagrid.bitworld import BITWORLD_INPUT_MASK_COUNT

SPRITE_PLAYER_PATH = "/sprite_player"
PACKET_SPRITE_PLAYER_CHAT = 0x81
PACKET_SPRITE_PLAYER_INPUT = 0x84
SPRITE_PLAYER_INPUT_PACKET_BYTES = 2
_LARGEST_MASK = BITWORLD_INPUT_MASK_COUNT - 1
_LARGEST_CHAT = (1 << 16) - 1


def pack_sprite_player_input_packet(mask: int) -> bytes:
    """Return the packet for held buttons. Raises `ValueError` for a mask outside 0 to 127."""
    if not 0 <= mask <= _LARGEST_MASK:
        raise ValueError(f"BitWorld /sprite_player input mask must be in [0, {_LARGEST_MASK}], got {mask}")
    return bytes((PACKET_SPRITE_PLAYER_INPUT, mask))


def unpack_sprite_player_input_packet(packet: bytes | bytearray | memoryview) -> int:
    """Return the held buttons of a packet; the highest bit is dropped. Raises `ValueError` for another packet."""
    data = bytes(packet)
    if len(data) != SPRITE_PLAYER_INPUT_PACKET_BYTES or data[0] != PACKET_SPRITE_PLAYER_INPUT:
        raise ValueError(
            f"A BitWorld /sprite_player input packet is two bytes, 0x84 and a mask, not {data[:8].hex()!r}"
        )
    return data[1] & _LARGEST_MASK


def pack_sprite_player_chat_packet(text: str) -> bytes:
    """Return the packet for a chat text. Raises `ValueError` unless it is printable ASCII and not empty."""
    if not text:
        raise ValueError("A BitWorld /sprite_player chat text must not be empty")
    if not all(" " <= character <= "~" for character in text):
        raise ValueError(f"A BitWorld /sprite_player chat text must be printable ASCII, got {text[:40]!r}")
    if len(text) > _LARGEST_CHAT:
        raise ValueError(f"A BitWorld /sprite_player chat text has at most {_LARGEST_CHAT} characters, got {len(text)}")
    return bytes((PACKET_SPRITE_PLAYER_CHAT,)) + len(text).to_bytes(2, "little") + text.encode("ascii")
