"""Find manifests and replays by path or URI: a path or folder, `file://`, http(s), `cow_...` ids and API paths."""

from __future__ import annotations

import gzip
import json
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, Field

from coworld.errors import SourceError
from coworld.uris.server_manifests import fetch_manifest, is_on_server, manifest_address
from coworld.uris.transfer import UriError, public_uri, read_uri

__all__ = [
    "RemoteCoworldManifestResponse",
    "decompress_replay",
    "is_remote",
    "local_path",
    "materialized_manifest_path",
    "materialized_replay_path",
    "read_data",
]

REPLAY_LIMIT = 4 << 30
"""bytes; no replay gets larger than this when it is decompressed"""


class RemoteCoworldManifestResponse(BaseModel):
    """A manifest as a server wraps it; other keys are ignored."""

    manifest: Annotated[dict[str, Any], Field(min_length=1)]


def is_remote(reference: str) -> bool:
    """Whether a reference has to be downloaded."""
    return reference.startswith(("http://", "https://", "s3://"))


def local_path(reference: str) -> Path:
    """Return the path of a local reference.

    Raises:
        SourceError: it means something else.
    """
    if reference.startswith("file:"):
        return Path(unquote(urlsplit(reference).path))
    if "://" in reference:
        raise SourceError(
            f"{public_uri(reference)} is neither a path nor file:// nor http(s)", hint="download it first"
        )
    return Path(reference).expanduser()


def read_data(uri: str) -> bytes:
    """Read the bytes at a path or a `file://`, http(s) or public `s3://` URI.

    Raises:
        SourceError: they cannot be read.
    """
    uri = _https_of_s3(uri)
    try:
        if is_remote(uri):
            return read_uri(uri)
        return local_path(uri).read_bytes()
    except UriError as error:
        raise SourceError(str(error), hint="check the address") from error
    except OSError as error:
        raise SourceError(f"{uri} could not be read: {error.strerror}", hint="check the path") from error


def _https_of_s3(uri: str) -> str:
    """Return the public https address of `s3://` objects, and every other address as it is."""
    if not uri.startswith("s3://"):
        return uri
    bucket, _, key = uri.removeprefix("s3://").partition("/")
    return f"https://{bucket}.s3.amazonaws.com/{key}"


@contextmanager
def materialized_manifest_path(manifest_uri: str, *, server: str | None = None) -> Iterator[Path]:
    """Yield the absolute path of the manifest as a local file. A download is deleted at the end of the block.

    `cow_...` ids and `/v2/coworlds/...` paths are looked up at `server`, else at `COGAMES_API_URL`; a local file of
    that name comes first. An http(s) response may be the manifest itself or `{"manifest": {...}}`.

    Raises:
        SourceError: there is no such manifest.
    """
    if is_on_server(manifest_uri):
        manifest_uri = manifest_address(manifest_uri, server)
    if not is_remote(manifest_uri):
        path = local_path(manifest_uri)
        path = path / "coworld_manifest.json" if path.is_dir() else path
        if not path.is_file():
            raise SourceError(f"{path} does not exist", hint="give the path of a coworld_manifest.json")
        yield path.resolve()
        return
    manifest = fetch_manifest(_https_of_s3(manifest_uri))
    with tempfile.TemporaryDirectory(prefix="coworld-manifest-") as folder:
        path = Path(folder) / "coworld_manifest.json"
        path.write_text(json.dumps(manifest, indent=2) + "\n")
        yield path


@contextmanager
def materialized_replay_path(replay_uri: str) -> Iterator[Path]:
    """Yield the path of the decompressed replay as a local file. A raw local file is used directly.

    Raises:
        SourceError: there is no such replay, or it cannot be decompressed.
    """
    name = urlsplit(replay_uri).path if "://" in replay_uri else replay_uri
    if not is_remote(replay_uri) and not name.endswith((".z", ".gz")):
        path = local_path(replay_uri)
        if not path.is_file():
            raise SourceError(f"{path} does not exist", hint="give the path of a replay")
        yield path
        return
    data = decompress_replay(read_data(replay_uri), name=name)
    with tempfile.TemporaryDirectory(prefix="coworld-replay-") as folder:
        path = Path(folder) / "replay"
        path.write_bytes(data)
        yield path


def decompress_replay(data: bytes, *, name: str) -> bytes:
    """Decompress a replay by its name: `.z` is zlib, `.gz` is gzip, every other name is not compressed.

    Raises:
        SourceError: the bytes are not what the name says.
    """
    if not name.endswith((".z", ".gz")):
        return data
    try:
        reader = zlib.decompressobj(wbits=zlib.MAX_WBITS if name.endswith(".z") else zlib.MAX_WBITS | 16)
        plain = reader.decompress(data, REPLAY_LIMIT)
    except (zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(
            f"{name} cannot be decompressed: {error}", hint="the file is damaged or has the wrong name"
        ) from error
    if not reader.eof:
        problem = "ends too early" if not reader.unconsumed_tail else f"is over {REPLAY_LIMIT >> 30} GiB"
        raise SourceError(f"{name} cannot be decompressed: it {problem}", hint="the file is damaged")
    return plain
