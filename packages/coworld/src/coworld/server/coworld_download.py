"""Download a published Coworld: its manifest, the list of its images, its player files and a guide for agents.

| file in `coworld/ID/` | content |
|---|---|
| `coworld_manifest.json` | the manifest, with images under local names |
| `coworld_images.json` | where each image is pulled from |
| `player-files/SHA256` | players that are files |
| `AGENTS.md` | where the leagues of the game explain how to enter |
"""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworld.engines.local_images import SIDE_FILE
from coworld.runner.artifacts import write_document, write_file
from coworld.server.coworld_upload import image_fields
from coworld.server.program_download import download_programs
from softmax.client.errors import ClientError

if TYPE_CHECKING:
    from coworld.server.upload_client import CoworldUploadClient
    from softmax.wire.coworlds import CoworldResponse
    from softmax.wire.leagues import Competition

__all__ = ["agents_md", "download_coworld", "is_downloaded", "manifest_path", "resolve_coworld_id"]

MANIFEST, IMAGES, FILES, GUIDE = "coworld_manifest.json", "coworld_images.json", "player-files", "AGENTS.md"


def resolve_coworld_id(client: CoworldUploadClient, reference: str) -> str:
    """Return the id of a Coworld: as given, or of the canonical version of a name. Raises `ClientError`."""
    if reference.startswith("cow_"):
        return reference
    found = client.find_canonical_coworld(reference)
    if found is None:
        raise ClientError(f"The server has no Coworld {reference!r} that is ready to play", ["coworld list shows all"])
    return found.id


def manifest_path(output_dir: Path, coworld_id: str) -> Path:
    return output_dir / coworld_id / MANIFEST


def is_downloaded(output_dir: Path, coworld_id: str) -> bool:
    """Return whether all files of a Coworld are there."""
    return all((output_dir / coworld_id / name).is_file() for name in (MANIFEST, IMAGES, GUIDE))


def download_coworld(client: CoworldUploadClient, coworld_id: str, output_dir: Path) -> Path:
    """Write the files of a Coworld and return its folder. The manifest comes last: it says that all are there."""
    row = client.get_coworld(coworld_id)
    folder = output_dir / coworld_id
    folder.mkdir(parents=True, exist_ok=True)
    manifest, images = _with_local_images(row)
    for player in manifest.get("player") or []:
        file = player.get("file")
        if isinstance(file, str) and file.startswith("sha256:"):
            digest = file.removeprefix("sha256:")
            path = folder / FILES / digest
            path.parent.mkdir(exist_ok=True)
            if not path.is_file():
                write_file(path, client.get_bytes(f"/v2/coworlds/{coworld_id}/player-files/{digest}"))
    leagues = [league for league in client.list_leagues() if league.game.coworld_id == coworld_id]
    local_names = {image["public_image_uri"]: image["local_image"] for image in images}
    programs = download_programs(client, coworld_id, folder, local_names)
    if programs:
        write_document(folder / SIDE_FILE, programs)
        images = [image for image in images if not image["public_image_uri"].startswith("sha256:")]
    about = {"coworld_id": row.id, "name": row.name, "version": row.version, "images": images}
    write_document(folder / IMAGES, about)
    write_file(folder / GUIDE, agents_md(client.server_url, leagues, manifest).encode())
    write_document(folder / MANIFEST, manifest)
    return folder


def _with_local_images(row: CoworldResponse) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Return the manifest with images under local names, and where each is pulled from.

    An image that an installed package brings keeps its name: it needs no download.
    """
    from coworld.engines.local_images import LocalImages

    manifest, own = copy.deepcopy(row.manifest), LocalImages()
    images: dict[str, str] = {}
    for entry in image_fields(manifest):
        public = entry["image"]
        if own.has(public):
            continue
        local = f"coworld/{row.id}/{_slug(row.name)}-{_slug(row.version)}-{len(images)}:downloaded"
        entry["image"] = images.setdefault(public, local)
    return manifest, [{"public_image_uri": public, "local_image": local} for public, local in images.items()]


def agents_md(server: str, leagues: list[Competition], manifest: dict[str, Any]) -> str:
    """Return a short guide for coding agents: what this is, and how to enter the leagues that play it."""
    game = manifest.get("game", {})
    lines = [f"# {game.get('name', 'Coworld')} {game.get('version', '')}".rstrip(), ""]
    lines += [str(game.get("description", "")).strip(), ""] if game.get("description") else []
    lines += ["Play it here:", "", "    coworld play coworld_manifest.json", ""]
    if leagues:
        lines += ["Leagues that play this version, and their guides:", ""]
        lines += [f"- {league.name}: {server}/v2/participate?league_id={league.id}" for league in leagues]
    else:
        lines += ["No league plays this version at the moment: `coworld leagues` lists leagues."]
    return "\n".join(lines) + "\n"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"
