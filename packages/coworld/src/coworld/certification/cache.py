"""Cache passed certifications, so that an unchanged Coworld is not certified twice."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import cogbox
import coworld
from coworld.runner.artifacts import write_document

NAME = "certified_manifest_hashes.json"
MAX_ENTRIES = 500
"""the most entries in the cache, newest first"""


def cache_path() -> Path:
    """Return the path of `coworld/certified_manifest_hashes.json` in the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "coworld" / NAME


def certification_key(parts: Iterable[bytes]) -> str:
    """Return a digest of all inputs of a certification and of the tool itself."""
    digest = hashlib.sha256(_tool_digest())
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


@cache
def _tool_digest() -> bytes:
    digest = hashlib.sha256()
    for package in (coworld, cogbox):
        for folder in package.__path__:
            for path in sorted(Path(folder).rglob("*.py")):
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()


def remembered(key: str) -> dict[str, Any] | None:
    """Return the cached entry of a passed certification; None when there is none."""
    entry = _read().get(key)
    return entry if isinstance(entry, dict) else None


def remember(key: str, entry: dict[str, Any]) -> None:
    """Add a passed certification to the cache; ignore a cache that cannot be written."""
    entries = {key: entry, **{name: value for name, value in _read().items() if name != key}}
    path = cache_path()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_document(path, {"version": 1, "certified": dict(list(entries.items())[:MAX_ENTRIES])})


def _read() -> dict[str, Any]:
    try:
        document = json.loads(cache_path().read_bytes())
    except (OSError, ValueError):
        return {}
    entries = document.get("certified") if isinstance(document, dict) else None
    return entries if isinstance(entries, dict) else {}
