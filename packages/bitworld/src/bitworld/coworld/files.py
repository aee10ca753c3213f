"""Read and write the files that a runner names: plain paths, `file://` and http addresses."""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

from bitworld.errors import BitWorldError

__all__ = ["MissingSetting", "read", "required", "write"]

SECONDS = 60.0


class MissingSetting(BitWorldError):
    """A variable of the environment is not set."""


def required(environ: Mapping[str, str], name: str, why: str) -> str:
    """Return a variable of the environment; raise `MissingSetting` if it is not set."""
    value = environ.get(name)
    if not value:
        raise MissingSetting(f"`{name}` is not set; {why}")
    return value


def read(uri: str) -> bytes:
    if _is_remote(uri):
        with urlopen(uri, timeout=SECONDS) as response:
            content: bytes = response.read()
            return content
    return _path(uri).read_bytes()


def write(uri: str, content: bytes, *, method: str = "", content_type: str = "application/octet-stream") -> None:
    """Write a file in one step, or send it with PUT or `method`."""
    if _is_remote(uri):
        headers = {"Content-Type": content_type}
        request = Request(uri, data=content, method=method.upper() or "PUT", headers=headers)
        with urlopen(request, timeout=SECONDS):
            return
    path = _path(uri)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    os.replace(part, path)


def _is_remote(uri: str) -> bool:
    return uri.startswith(("http://", "https://"))


def _path(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path)) if uri.startswith("file://") else Path(uri)
