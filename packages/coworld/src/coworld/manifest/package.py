"""A Coworld on disk: the manifest and the folder with the files it names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coworld.errors import CoworldError, ManifestError, Problem, SourceError
from coworld.manifest.reader import read_authored_manifest, read_downloaded_manifest
from coworld.manifest.validation import certification_player_problems, duplicate_player_problems
from coworld.models.docs import CoworldProtocolDocs
from coworld.models.launch_specs import RunnableLaunchSpec
from coworld.models.manifest import CoworldManifest, CoworldVariant
from coworld.models.runnables import CoworldManifestRoleSpec
from coworld.schema.validation import load_json_object
from coworld.uris.manifests import local_path, materialized_manifest_path

__all__ = ["MANIFEST_NAME", "CoworldPackage", "load_package", "opened_package"]

MANIFEST_NAME = "coworld_manifest.json"


@dataclass(frozen=True)
class CoworldPackage:
    """A manifest and its source."""

    manifest_path: Path
    """the manifest's file"""
    manifest: CoworldManifest
    game: RunnableLaunchSpec
    """the game's program"""
    config_schema: dict[str, Any]
    results_schema: dict[str, Any]
    protocols: CoworldProtocolDocs
    sources: dict[str, Any] = field(default_factory=dict)
    """the document as it was written"""

    @classmethod
    def of(cls, manifest: CoworldManifest, path: Path, sources: dict[str, Any] | None = None) -> CoworldPackage:
        """Return the package of a manifest in a file."""
        game = manifest.game
        return cls(
            manifest_path=path,
            manifest=manifest,
            game=RunnableLaunchSpec.from_model(game.runnable),
            config_schema=game.config_schema,
            results_schema=game.results_schema,
            protocols=game.protocols,
            sources=sources or {},
        )

    @property
    def path(self) -> Path:
        return self.manifest_path

    @property
    def root(self) -> Path:
        """Return the manifest's folder, where paths in the manifest start."""
        return self.manifest_path.parent

    def player(self, player_id: str) -> CoworldManifestRoleSpec:
        """Return the player with this id.

        Raises:
            CoworldError: there is none.
        """
        return self.role("player", player_id)

    def role(self, section: str, role_id: str | None = None) -> CoworldManifestRoleSpec:
        """Return the entry with this id of a section of roles, by default its first.

        Raises:
            CoworldError: there is no such entry.
        """
        entries: list[CoworldManifestRoleSpec] = getattr(self.manifest, section)
        for entry in entries:
            if role_id in (None, entry.id):
                return entry
        known = ", ".join(entry.id for entry in entries) or "none"
        missing = f"no {section} {role_id!r}" if role_id else f"no {section}"
        raise CoworldError(f"{self.manifest.game.name} has {missing}", hint=f"it has: {known}")

    def variant(self, variant_id: str) -> CoworldVariant:
        """Return the variant with this id.

        Raises:
            CoworldError: there is none.
        """
        for variant in self.manifest.variants:
            if variant.id == variant_id:
                return variant
        known = ", ".join(variant.id for variant in self.manifest.variants)
        raise CoworldError(
            f"unknown Coworld variant_id: {variant_id!r}", hint=f"{self.manifest.game.name} has: {known}"
        )

    def file(self, relative: str) -> Path:
        """Return a file or folder of the package, which must be inside it after links are resolved.

        Raises:
            SourceError: it is missing or outside.
        """
        path = (self.root / relative).resolve()
        if not path.is_relative_to(self.root.resolve()):
            raise SourceError(
                f"{relative} is outside the package {self.root}", hint="keep the files of a package in it"
            )
        if not path.exists():
            raise SourceError(
                f"{relative} is missing in {self.root}", hint="build it, or correct the path in the manifest"
            )
        return path


def load_package(path: Path | str, *, strict: bool = True, require_tags: bool = False) -> CoworldPackage:
    """Read a manifest's file to run or certify it.

    `strict` is for the author: unknown keys and every broken rule are errors. Without it the manifest counts as
    accepted by a server, and only what keeps an episode from running is an error. `path` may be the folder or a
    `file://` address; for http(s) use `opened_package`.

    Raises:
        SourceError: there is no such file, or it is not JSON.
        ManifestError: the manifest is not good.
    """
    file = local_path(str(path))
    if file.is_dir():
        file = file / MANIFEST_NAME
    document = load_json_object(file)
    manifest = read_authored_manifest(document) if strict else read_downloaded_manifest(document)
    problems = [*certification_player_problems(manifest), *duplicate_player_problems(manifest)]
    if require_tags and manifest.tags is None:
        message = "Coworld certification requires at least three manifest tags"
        problems.append(Problem("tags", message, "add at least three words to find the game by"))
    if problems:
        raise ManifestError(problems, text=problems[0].message)
    return CoworldPackage.of(manifest, file, document)


@contextmanager
def opened_package(reference: str, *, strict: bool = True, server: str | None = None) -> Iterator[CoworldPackage]:
    """Open the package behind any reference to a manifest; a download is deleted at the end of the block."""
    with materialized_manifest_path(reference, server=server) as path:
        yield load_package(path, strict=strict)
