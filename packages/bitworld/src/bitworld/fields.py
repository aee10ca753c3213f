"""Read fixed-size fields of a message, with errors that name the offset."""

import struct

from bitworld.errors import BitWorldError

__all__ = ["Fields"]


class Fields:
    """A cursor over little-endian bytes. Reading past the end raises `error` with the offset of the truncated field."""

    def __init__(self, data: bytes, error: type[BitWorldError]) -> None:
        self.data = data
        self.offset = 0
        self.error = error

    @property
    def is_done(self) -> bool:
        return self.offset == len(self.data)

    def unpack(self, layout: struct.Struct) -> tuple[int, ...]:
        begin = self._skip(layout.size)
        return layout.unpack_from(self.data, begin)

    def take(self, count: int) -> bytes:
        begin = self._skip(count)
        return self.data[begin : begin + count]

    def text(self, length: int, encoding: str = "utf-8") -> str:
        begin = self.offset
        try:
            return self.take(length).decode(encoding)
        except UnicodeDecodeError:
            raise self.error(f"The text at byte {begin} is not {encoding.upper()}") from None

    def _skip(self, count: int) -> int:
        begin = self.offset
        if count > len(self.data) - begin:
            raise self.error(f"Truncated at byte {len(self.data)}: {count} bytes were expected at byte {begin}")
        self.offset += count
        return begin
