"""The Castagnoli checksum (CRC-32C), masked as in the records of event files."""

from __future__ import annotations

__all__ = ["crc32c", "masked_crc32c"]

_POLYNOMIAL = 0x82F63B78  # 0x1EDC6F41 with its bits reversed
_MASK = 0xA282EAD8


def _table() -> tuple[int, ...]:
    entries = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        entries.append(value)
    return tuple(entries)


_TABLE = _table()


def crc32c(data: bytes) -> int:
    """Return the checksum of `data`."""
    value = 0xFFFFFFFF
    for byte in data:
        value = _TABLE[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> bytes:
    """Return the checksum, rotated and shifted so that checksums of checksums stay useful, as 4 bytes."""
    value = crc32c(data)
    return ((value >> 15 | value << 17) + _MASK & 0xFFFFFFFF).to_bytes(4, "little")
