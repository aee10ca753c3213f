"""Unpack the programs of a downloaded Coworld that take the place of container images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworld.bundle.archives import ArchiveLimits, opened_archive
from coworld.engines.local_images import SIDE_FILE
from coworld.errors import CoworldError

if TYPE_CHECKING:
    from coworld.server.upload_client import CoworldUploadClient

__all__ = ["download_programs"]

PROGRAMS = "programs"
PREFIX = "sha256:"
INSIDE = "/player"
"""where a program sees its files, here as on the server"""
_LIMITS = ArchiveLimits(members=20_000, member_bytes=512 << 20, total_bytes=2 << 30)


def download_programs(
    client: CoworldUploadClient, coworld_id: str, folder: Path, images: dict[str, str]
) -> dict[str, Any]:
    """Download the images that are programs; return the document of `coworld_local.json`, empty without any.

    `images` has the local name of each reference.
    """
    entries = {}
    for reference, local in images.items():
        if reference.startswith(PREFIX):
            digest = reference.removeprefix(PREFIX)
            root = folder / PROGRAMS / digest
            if not root.is_dir():
                _unpack(client.get_bytes(f"/v2/coworlds/{coworld_id}/programs/{digest}"), root)
            entries[local] = {**_command(root), "root": f"{PROGRAMS}/{digest}", "at": INSIDE}
    return {"images": entries} if entries else {}


def _unpack(data: bytes, root: Path) -> None:
    with opened_archive(data, name="the program", limits=_LIMITS) as archive:
        for name in archive.names:
            if not name.endswith("/"):
                target = root / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
                target.chmod(0o755)


def _command(root: Path) -> dict[str, Any]:
    try:
        (entry,) = json.loads((root / SIDE_FILE).read_bytes())["images"].values()
        return {key: entry[key] for key in ("argv", "env", "packages") if key in entry}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise CoworldError(f"the program {root.name} does not say how it is started") from None
