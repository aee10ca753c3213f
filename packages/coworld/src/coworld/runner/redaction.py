"""Take tokens out of what an episode leaves behind.

A token is replaced by as many other characters, so that formats with lengths and offsets stay as they are. Compressed
replays are opened and closed again when they hold one.
"""

import gzip
import zlib
from collections.abc import Sequence
from urllib.parse import quote

LARGEST = 512 << 20
"""bytes; what is larger when it is open stays as it is"""


class Redactor:
    """Replaces the tokens of one episode."""

    def __init__(self, tokens: Sequence[str], secrets: Sequence[str] = ()) -> None:
        pairs = {token: f"redacted-{slot}-" for slot, token in enumerate(tokens)}
        pairs |= {secret: "redacted-" for secret in secrets if len(secret) >= 8}
        self._pairs: dict[bytes, bytes] = {}
        for text, label in pairs.items():
            for form in {text, quote(text, safe="")}:
                if form:
                    self._pairs[form.encode()] = label.ljust(len(form), "-")[: len(form)].encode()

    def text(self, text: str) -> str:
        return self.plain(text.encode()).decode(errors="replace")

    def plain(self, data: bytes) -> bytes:
        """Bytes as they are."""
        for token, other in self._pairs.items():
            if token in data:
                data = data.replace(token, other)
        return data

    def packed(self, data: bytes) -> bytes:
        """Bytes that may be compressed by gzip or zlib."""
        if data[:2] == b"\x1f\x8b":
            opened = _opened(data, zlib.MAX_WBITS | 16)
            if opened is not None and (clean := self.plain(opened)) != opened:
                return gzip.compress(clean, mtime=0)
        elif data[:1] == b"\x78":
            opened = _opened(data, zlib.MAX_WBITS)
            if opened is not None and (clean := self.plain(opened)) != opened:
                return zlib.compress(clean)
        return self.plain(data)


def _opened(data: bytes, bits: int) -> bytes | None:
    """The contents when it is one whole compressed stream of a bearable size."""
    opener = zlib.decompressobj(bits)
    try:
        opened = opener.decompress(data, LARGEST)
    except zlib.error:
        return None
    return opened if opener.eof and not opener.unused_data else None
