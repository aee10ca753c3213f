"""Write episode bundles: the files of one episode in a zip.

A bundle contains the requested files that exist and that the caller may see; `include` lists them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Sequence
from io import BytesIO
from pathlib import Path

from coworld.bundle.archives import Contents, write_archive
from coworld.bundle.reader import BUNDLE_MANIFEST, BundleManifest
from coworld.errors import BundleError
from coworld.uris.manifests import decompress_replay

__all__ = ["INCLUDE_TOKENS", "make_bundle", "parse_include", "write_bundle"]

INCLUDE_TOKENS = ("results", "replay", "error_info", "game_logs", "player_logs", "player_artifact")
"""Contents that a caller can request, in the order in which they are listed."""


def parse_include(text: str | None) -> tuple[str, ...]:
    """Parse a list such as `results,replay` into tokens; None means all.

    Raises:
        BundleError: a token is unknown, or the list is empty.
    """
    if text is None:
        return INCLUDE_TOKENS
    tokens = [token.strip() for token in text.split(",") if token.strip()]
    unknown = [token for token in tokens if token not in INCLUDE_TOKENS]
    if unknown or not tokens:
        message = f"{unknown[0]!r} cannot be included" if unknown else "nothing is included"
        raise BundleError(message, hint=f"known: {', '.join(INCLUDE_TOKENS)}")
    return tuple(token for token in INCLUDE_TOKENS if token in tokens)


def write_bundle(
    workspace: Path,
    output: Path,
    *,
    include: Sequence[str] = INCLUDE_TOKENS,
    ereq_id: str | None = None,
    slots: Collection[int] | None = None,
) -> BundleManifest:
    """Write the bundle of an episode's folder to a file, atomically; return the bundle's manifest.

    `slots` are the seats whose logs and artifacts may be handed out; None means all. Missing files and
    files of other slots are left out. The default `ereq_id` is derived from the results and the replay.

    Raises:
        BundleError: the folder holds no episode.
    """
    manifest, members = _collect(workspace, include, ereq_id, slots)
    output.parent.mkdir(parents=True, exist_ok=True)
    beside = output.with_name(f".{output.name}.part")
    try:
        write_archive(beside, members)
        beside.replace(output)
    finally:
        beside.unlink(missing_ok=True)
    return manifest


def make_bundle(
    workspace: Path,
    *,
    include: Sequence[str] = INCLUDE_TOKENS,
    ereq_id: str | None = None,
    slots: Collection[int] | None = None,
) -> bytes:
    """Return the bundle of an episode's folder as bytes."""
    _, members = _collect(workspace, include, ereq_id, slots)
    target = BytesIO()
    write_archive(target, members)
    return target.getvalue()


def _collect(
    workspace: Path, include: Sequence[str], ereq_id: str | None, slots: Collection[int] | None
) -> tuple[BundleManifest, list[tuple[str, Contents]]]:
    failed = (workspace / "error_info.json").exists()
    if not failed and not (workspace / "results.json").exists():
        raise BundleError(
            f"{workspace} is not an episode's folder: it has neither results.json nor error_info.json",
            hint="give the output folder of `coworld run-episode`",
        )
    tokens = parse_include(",".join(include))
    files: dict[str, str | dict[str, str]] = {}
    members: list[tuple[str, Contents]] = []
    for token in tokens:
        token_members = list(_members_of(token, workspace, slots))
        if not token_members:
            continue
        members += [(name, contents) for _, name, contents in token_members]
        single_file = token_members[0][0] is None
        files[token] = token_members[0][1] if single_file else {str(key): name for key, name, _ in token_members}
    manifest = BundleManifest(
        ereq_id=ereq_id or _local_id(workspace),
        status="failed" if failed else "success",
        include=list(files),
        files=files,
    )
    text = json.dumps(manifest.document(), indent=2) + "\n"
    return manifest, [(BUNDLE_MANIFEST, text.encode()), *members]


def _members_of(
    token: str, workspace: Path, slots: Collection[int] | None
) -> Iterator[tuple[str | None, str, Contents]]:
    """Yield the files of a token: key (None for the only file), name in the bundle, contents."""
    if token in ("results", "error_info"):
        path = workspace / f"{token}.json"
        if path.exists():
            yield None, path.name, path
    elif token == "replay":
        yield from _replay(workspace)
    elif token == "game_logs":
        logs = [workspace / "logs" / f"game.{stream}.log" for stream in ("stdout", "stderr")]
        if any(log.exists() for log in logs):
            yield "combined", "logs/game.log", b"".join(_plain_bytes(log) for log in logs if log.exists())
    elif token == "player_logs":
        for slot, path in _per_slot(workspace / "logs", r"policy_agent_(\d+)\.log", slots):
            yield str(slot), f"logs/{path.name}", path
    elif token == "player_artifact":
        for slot, path in _per_slot(workspace, r"policy_artifact_(\d+)\.zip", slots):
            yield str(slot), f"artifacts/{path.name}", path


def _replay(workspace: Path) -> Iterator[tuple[None, str, Contents]]:
    """Return the replay as the game wrote it, or the decompressed copy."""
    plain = workspace / "replay"
    if plain.exists():
        yield None, "replay", plain
        return
    for suffix in (".z", ".gz"):
        packed = workspace / f"replay{suffix}"
        if packed.exists():
            yield None, "replay", decompress_replay(_plain_bytes(packed), name=packed.name)
            return


def _per_slot(folder: Path, pattern: str, slots: Collection[int] | None) -> list[tuple[int, Path]]:
    paths = []
    for path in folder.iterdir() if folder.is_dir() else ():
        match = re.fullmatch(pattern, path.name)
        if match and (slots is None or int(match[1]) in slots):
            paths.append((int(match[1]), path))
    return sorted(paths)


def _plain_bytes(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file():
        raise BundleError(f"{path} is not a plain file", hint="replace it with a plain file")
    return path.read_bytes()


def _local_id(workspace: Path) -> str:
    digest = hashlib.sha256()
    for name in ("results.json", "error_info.json", "replay"):
        path = workspace / name
        digest.update(hashlib.sha256(_plain_bytes(path) if path.exists() else b"").digest())
    return f"ereq_{digest.hexdigest()[:16]}"
