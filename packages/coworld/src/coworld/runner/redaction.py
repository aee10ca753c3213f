"""Redact tokens and secrets from the files of an episode.

A token is replaced by as many other characters, so that formats with lengths and offsets stay as they are. Compressed
replays are opened and closed again when they hold one.
"""

import base64
import gzip
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from urllib.parse import quote

LARGEST = 512 << 20
"""bytes; larger decompressed data is not redacted"""


SHORT = 8
"""characters; a shorter secret counts only as a whole word, since it may be part of many"""
SHORTEST = 3
"""characters; shorter values are not redacted"""
PUBLIC_VARIABLES = frozenset(
    {"AWS_REGION", "AWS_DEFAULT_REGION", "USE_BEDROCK", "COWORLD_LLM_ENABLED", "COWORLD_LLM_MODEL"}
)
"""variables that come with secrets but are not secret"""
_FLAGS = frozenset({"true", "false", "yes", "off", "none", "null"})


def secret_values(variables: Mapping[str, str]) -> list[str]:
    """Return the values of secret variables, which must not appear in logs."""
    return [value for name, value in variables.items() if name not in PUBLIC_VARIABLES and value.lower() not in _FLAGS]


class Redactor:
    """Replaces the tokens and secrets of one episode."""

    def __init__(self, tokens: Sequence[str], secrets: Sequence[str] = ()) -> None:
        pairs = {token: f"redacted-{slot}-" for slot, token in enumerate(tokens)}
        pairs |= {secret: "redacted-" for secret in secrets if len(secret) >= SHORTEST}
        self._pairs: dict[bytes, bytes] = {}
        self._words: dict[bytes, bytes] = {}
        # Longest first: a secret may be a part of another.
        for text, label in sorted(pairs.items(), key=lambda pair: -len(pair[0])):
            table = self._words if len(text) < SHORT and text not in tokens else self._pairs
            for form in _forms(text):
                table[form] = label.ljust(len(form), "-")[: len(form)].encode()

    def text(self, text: str) -> str:
        return self.plain(text.encode()).decode(errors="replace")

    def plain(self, data: bytes) -> bytes:
        """Redact uncompressed bytes."""
        for token, other in self._pairs.items():
            if token in data:
                data = data.replace(token, other)
        for word, other in self._words.items():
            if word in data:
                data = re.sub(rb"(?<![\w-])" + re.escape(word) + rb"(?![\w-])", other, data)
        return data

    def packed(self, data: bytes) -> bytes:
        """Redact bytes that may be compressed with gzip or zlib."""
        if data[:2] == b"\x1f\x8b":
            opened = _opened(data, zlib.MAX_WBITS | 16)
            if opened is not None and (clean := self.plain(opened)) != opened:
                return gzip.compress(clean, mtime=0)
        elif data[:1] == b"\x78":
            opened = _opened(data, zlib.MAX_WBITS)
            if opened is not None and (clean := self.plain(opened)) != opened:
                return zlib.compress(clean)
        return self.plain(data)


def _forms(text: str) -> set[bytes]:
    """Return the encodings of a secret: plain, in a URL, in JSON, in base64."""
    data = text.encode(errors="surrogateescape")
    forms = {data, quote(data, safe="").encode(), json.dumps(text)[1:-1].encode(errors="surrogateescape")}
    if len(text) >= SHORT:
        forms |= {base64.b64encode(data).rstrip(b"="), base64.urlsafe_b64encode(data).rstrip(b"=")}
    return {form for form in forms if form}


def _opened(data: bytes, bits: int) -> bytes | None:
    """Return the contents of one whole compressed stream within the size limit."""
    opener = zlib.decompressobj(bits)
    try:
        opened = opener.decompress(data, LARGEST)
    except zlib.error:
        return None
    return opened if opener.eof and not opener.unused_data else None
