"""Find manifests on a Coworld server: by id (`cow_...`) or by the path of its API (`/v2/coworlds/cow_...`).

The server is the caller's, else `COGAMES_API_URL`; there is no default host. The server answers
`GET /v2/coworlds/ID` with the manifest, or with `{"manifest": {...}}`.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from coworld.errors import SourceError
from coworld.schema.validation import parse_json_object
from coworld.uris.transfer import UriError, public_uri, read_uri

__all__ = [
    "DOWNLOADS",
    "SERVER_VARIABLE",
    "coworld_id_in",
    "download_manifest",
    "downloaded_manifest_path",
    "fetch_manifest",
    "is_coworld_id",
    "is_on_server",
    "manifest_address",
]

SERVER_VARIABLE = "COGAMES_API_URL"
DOWNLOADS = Path("coworld")
"""folder of downloaded Coworlds, in the working directory: `coworld/ID/coworld_manifest.json`"""
LARGEST_MANIFEST = 16 << 20
"""bytes; a larger response is refused"""
_COLLECTION = "/v2/coworlds/"
_ID = re.compile(r"cow_[A-Za-z0-9_-]+")


def is_coworld_id(reference: str) -> bool:
    """Return whether a reference has the form of a Coworld's id."""
    return _ID.fullmatch(reference) is not None


def is_on_server(reference: str) -> bool:
    """Return whether a reference needs a server: an id or an API path that is not a local file."""
    return (is_coworld_id(reference) or reference.startswith(_COLLECTION)) and not Path(reference).exists()


def coworld_id_in(reference: str) -> str | None:
    """Return the id in an id, an API path or an http(s) address of a server's API; None where there is none."""
    path = urlsplit(reference).path
    collection, slash, name = path.rpartition("/")
    if slash and not f"{collection}/".endswith(_COLLECTION):
        return None
    return name if is_coworld_id(name) else None


def manifest_address(reference: str, server: str | None = None) -> str:
    """Return the http(s) address of a manifest that `is_on_server`.

    A server that ends in `/api` is a site; its Coworlds are under `/api/observatory`.

    Raises:
        SourceError: no server is given, or it is not an http(s) address.
    """
    base = (server or os.environ.get(SERVER_VARIABLE) or "").rstrip("/")
    if not base:
        raise SourceError(
            f"{reference} is on a server and requires --server",
            hint=f"add `--server URL`, or set {SERVER_VARIABLE}",
        )
    if not base.startswith(("http://", "https://")) or not urlsplit(base).netloc:
        raise SourceError(f"The server {public_uri(base)!r} is not an http(s) address", hint="--server https://HOST")
    if urlsplit(base).path.endswith("/api"):
        base += "/observatory"
    return base + (reference if reference.startswith("/") else _COLLECTION + reference)


def fetch_manifest(address: str) -> dict[str, Any]:
    """Download a manifest, which may be wrapped as `{"manifest": {...}}`.

    Raises:
        SourceError: the server is unreachable, refuses, or answers something else.
    """
    name, host = public_uri(address), urlsplit(address).netloc.rpartition("@")[2]
    try:
        document = parse_json_object(read_uri(address, attempts=1, limit=LARGEST_MANIFEST), name=name)
    except UriError as error:
        raise _refusal(error, address, name, host) from error
    wrapped = document.get("manifest")
    if not isinstance(wrapped, dict):
        return document
    if not wrapped:
        raise SourceError(f"{name} has an empty manifest", hint="check the address")
    return wrapped


def _refusal(error: UriError, address: str, name: str, host: str) -> SourceError:
    from coworld.uris.errors import RefusedUriError, UnreachableUriError

    coworld_id = coworld_id_in(address)
    match error:
        case UnreachableUriError():
            return SourceError(f"The server {host} could not be reached: {error.reason}", hint="check the address")
        case RefusedUriError(code=404 | 410 | 422) if coworld_id is not None:
            return SourceError(
                f"The server {host} has no Coworld {coworld_id} (status {error.code})",
                hint="check the id and the server",
            )
        case RefusedUriError(code=401 | 403):
            return SourceError(
                f"The server {host} refused {name} (status {error.code})",
                hint="download it with an account that may see it, and give the path of its coworld_manifest.json",
            )
    return SourceError(str(error), hint="check the address")


def downloaded_manifest_path(coworld_id: str) -> Path:
    """Return where the manifest of a downloaded Coworld lies, whether it is there or not."""
    return DOWNLOADS / coworld_id / "coworld_manifest.json"


def download_manifest(coworld_id: str, server: str | None = None) -> tuple[Path, bool]:
    """Return the local copy of a server's manifest and whether this call downloaded it. A copy is never refreshed.

    Raises:
        SourceError: there is no copy yet, and the server cannot be reached or has no such Coworld.
    """
    path = downloaded_manifest_path(coworld_id)
    if path.is_file():
        return path, False
    manifest = fetch_manifest(manifest_address(coworld_id, server))
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(manifest, indent=2) + "\n")
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise SourceError(f"{path} could not be written: {error.strerror}", hint="change to another folder") from error
    return path, True
