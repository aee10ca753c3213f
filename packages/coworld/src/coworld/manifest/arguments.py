"""Resolve the MANIFEST argument of commands: a path, a URI, the name of an installed Coworld or a `cow_...` id."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coworld.manifest.installed_worlds import manifest_of, world_names
from coworld.manifest.package import CoworldPackage, load_package
from coworld.uris.manifests import materialized_manifest_path
from coworld.uris.server_manifests import coworld_id_in, download_manifest, is_coworld_id, is_on_server
from softmax.cli.errors import fail
from softmax.cli.output import note

__all__ = ["downloaded", "manifest_file", "opened", "reference"]


def reference(manifest: str, server: str | None = None) -> str:
    """Return the path or address of a MANIFEST argument.

    In this order: a path, an address or an API path as it is; the name of an installed Coworld; a `cow_...` id, which
    is downloaded once to `coworld/ID/`.
    """
    if Path(manifest).exists() or "/" in manifest or "." in manifest:
        return manifest
    installed = manifest_of(manifest)
    if installed is not None:
        return str(installed)
    if not manifest.startswith("cow_"):
        fail(
            f"There is no manifest {manifest!r}",
            f"give the path of a coworld_manifest.json, or one of: {', '.join(world_names())}",
        )
    if not is_coworld_id(manifest):
        fail(f"{manifest!r} is not the id of a Coworld", "an id is `cow_` with letters, digits, `-` and `_`")
    path, is_new = download_manifest(manifest, server)
    note(f"Downloaded {manifest} to {path}" if is_new else f"Using {path}; delete it to download it again")
    return str(path)


def downloaded(manifest: str, server: str | None = None) -> str:
    """Return a MANIFEST argument that needs no server any more: `cow_...` ids and API paths as a downloaded file."""
    coworld_id = coworld_id_in(manifest) if is_on_server(manifest) else None
    return manifest if coworld_id is None else reference(coworld_id, server)


@contextmanager
def manifest_file(manifest: str, *, server: str | None = None) -> Iterator[Path]:
    """Open the file of a MANIFEST argument; a temporary download is deleted at the end of the block."""
    with materialized_manifest_path(reference(manifest, server), server=server) as path:
        yield path


@contextmanager
def opened(manifest: str, *, strict: bool = False, server: str | None = None) -> Iterator[CoworldPackage]:
    """Open the package of a MANIFEST argument. Without `strict`, rules for authors do not apply."""
    with manifest_file(manifest, server=server) as path:
        yield load_package(path, strict=strict)
