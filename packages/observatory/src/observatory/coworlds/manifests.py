"""Manifests as documents: their references to images, files and reporters, and what lists show of them.

All functions expect a manifest that `inspection` has accepted. Those that only read also take one with parts missing.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from observatory.coworlds.names import MAX_NAME_CHARACTERS, is_coworld_name, name_key
from observatory.errors import Unprocessable
from softmax.wire.coworlds import ManifestSummary, VariantName

__all__ = [
    "ROLES",
    "check_public",
    "digest",
    "image_names",
    "page",
    "player_files",
    "programs",
    "reporters",
    "summary",
    "viewer_bundle",
    "with_images",
]

ROLES = ("player", "commissioner", "grader", "diagnoser", "optimizer")
MAX_VERSION_CHARACTERS = 100
SECRET = "secret://"

_SECRET = re.compile(r"secret://coworld/(?P<coworld>[^/]+)/(?P<name>[^/]+)")
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")


def digest(manifest: Mapping[str, Any]) -> tuple[str, int]:
    """Return the SHA-256 of a manifest and its size in bytes, both independent of the order of its keys."""
    data = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(data).hexdigest(), len(data)


def check_public(manifest: Mapping[str, Any]) -> None:
    """Raise `Unprocessable` for a name that cannot be an address, and for secrets where everyone can read them."""
    game = manifest["game"]
    name, version = game["name"], game["version"]
    if not is_coworld_name(name):
        raise Unprocessable(
            f"game.name {name[:80]!r} must be at most {MAX_NAME_CHARACTERS} letters, digits, `.`, `-`, `_` and spaces, "
            "and begin with a letter or a digit"
        )
    if len(version) > MAX_VERSION_CHARACTERS:
        raise Unprocessable(f"game.version has {len(version)} characters; at most {MAX_VERSION_CHARACTERS} are allowed")
    for path, text in _texts(manifest, ()):
        if SECRET not in text:
            continue
        if path[:3] != ("game", "runnable", "env"):
            raise Unprocessable(
                f"{'.'.join(path)[:200]} refers to a secret, and everyone can read it; "
                "refer to secrets in `game.runnable.env` only"
            )
        match = _SECRET.fullmatch(text)
        if match is None or name_key(match["coworld"]) != name_key(name):
            raise Unprocessable(
                f"{'.'.join(path)[:200]} must be `secret://coworld/{name}/NAME`: a game reads its own secrets only"
            )


def image_names(manifest: Mapping[str, Any]) -> list[str]:
    """Return the images of a manifest, each once."""
    return sorted({holder["image"] for holder in _image_holders(manifest)})


def with_images(manifest: Mapping[str, Any], addresses: Mapping[str, str]) -> dict[str, Any]:
    """Return a copy of a manifest with other references in place of those that `addresses` has."""
    document = copy.deepcopy(dict(manifest))
    for holder in _image_holders(document):
        holder["image"] = addresses.get(holder["image"], holder["image"])
    return document


def programs(manifest: Mapping[str, Any]) -> list[str]:
    """Return the SHA-256 of each program that is an uploaded archive in place of an image."""
    matches = [_DIGEST.fullmatch(name) for name in image_names(manifest)]
    return [match[1] for match in matches if match is not None]


def player_files(manifest: Mapping[str, Any]) -> list[str]:
    """Return the SHA-256 of each player that is a file; `Unprocessable` for a file that was not sent."""
    names = [player["file"] for player in manifest.get("player", []) if player.get("file") is not None]
    return sorted({_sha256(name, "player file") for name in names})


def viewer_bundle(manifest: Mapping[str, Any]) -> str | None:
    """Return the SHA-256 of the replay viewer, if there is one; `Unprocessable` for one that was not sent."""
    viewer = manifest["game"].get("replay_viewer")
    return None if viewer is None else _sha256(viewer["bundle"], "replay viewer")


def reporters(manifest: Mapping[str, Any]) -> list[str]:
    """Return the published reporters, as `owner/name@version`; `Unprocessable` for one that was not sent."""
    references = []
    for entry in manifest.get("reporter") or []:
        if "wasm" in entry:
            raise Unprocessable(
                f"The reporter {entry['id'][:80]!r} is a file of your package; upload it and refer to it as "
                "`owner/name@version`, as `coworld upload-coworld` does"
            )
        if "reporter" in entry:
            references.append(entry["reporter"])
    return references


def summary(manifest: Mapping[str, Any]) -> ManifestSummary:
    """Return what lists show."""
    game = manifest["game"]
    return ManifestSummary(
        description=game.get("description", ""),
        owner=game.get("owner", ""),
        variants=[VariantName(id=variant["id"], name=variant["name"]) for variant in manifest.get("variants", [])],
        role_counts={role: len(manifest.get(role) or []) for role in ROLES},
    )


def page(manifest: Mapping[str, Any], page_id: str) -> str | None:
    """Return the text of a page of the game's documentation; None if there is none, or only a link."""
    docs = manifest["game"].get("docs") or {}
    for entry in docs.get("pages") or []:
        if entry["id"].rstrip("\r\n") == page_id and entry["content"]["type"] == "text":
            return str(entry["content"]["value"])
    return None


def _sha256(reference: str, noun: str) -> str:
    match = _DIGEST.fullmatch(reference)
    if match is None:
        raise Unprocessable(
            f"The {noun} {reference[:80]!r} is a path of your package; upload it and refer to it as `sha256:DIGEST`, "
            "as `coworld upload-coworld` does"
        )
    return match[1]


def _image_holders(manifest: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    game = manifest["game"]
    if "runnable" in game:
        yield game["runnable"]
    yield from (game.get("task_environments") or {}).values()
    for section in (*ROLES, "reporter"):
        yield from (entry for entry in manifest.get(section) or [] if entry.get("image") is not None)


def _texts(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every text of a document with its path, keys included."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield path, key
            yield from _texts(entry, (*path, key))
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry, path)
