"""Read an episode bundle: only the files that its `manifest.json` names, and nothing harmful.

Supporting roles start with this, so it imports little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from coworld.bundle.archives import Archive, ArchiveLimits, opened_archive
from coworld.errors import BundleError
from coworld.schema.problems import problems_of
from coworld.schema.validation import parse_json_object

__all__ = ["BUNDLE_MANIFEST", "BundleManifest", "EpisodeBundle", "opened_bundle"]

BUNDLE_MANIFEST = "manifest.json"
_MANIFEST_LIMIT = 1 << 20


class BundleManifest(BaseModel):
    """The `manifest.json` of a bundle. It is read leniently: other tools may add keys."""

    model_config = ConfigDict(extra="ignore")

    ereq_id: str | None = None
    episode_id: str | None = None
    """instead of `ereq_id`, for episodes that were recorded elsewhere"""
    status: Literal["success", "failed"]
    include: list[str] = []
    files: dict[str, str | dict[str, str]]

    def document(self) -> dict[str, Any]:
        """Return the document as it is written, with the one id that is set."""
        return self.model_dump(mode="json", exclude_none=True)


@dataclass(frozen=True)
class EpisodeBundle:
    """An open bundle. Every method follows `manifest.files`; a file that is not included is None or empty."""

    manifest: BundleManifest
    archive: Archive

    @property
    def id(self) -> str:
        """Return the episode's id."""
        return self.manifest.ereq_id or self.manifest.episode_id or ""

    @property
    def failed(self) -> bool:
        return self.manifest.status == "failed"

    def results(self) -> dict[str, Any] | None:
        return self._object("results")

    def error_info(self) -> dict[str, Any] | None:
        return self._object("error_info")

    def replay(self) -> bytes | None:
        """Return the replay, uncompressed: a member that ends in `.z` or `.gz` is decompressed."""
        name, data = self.manifest.files.get("replay"), self._bytes("replay")
        if data is None or not isinstance(name, str) or not name.endswith((".z", ".gz")):
            return data
        from coworld.uris.manifests import decompress_replay

        return decompress_replay(data, name=name)

    def game_logs(self) -> dict[str, bytes]:
        return self._map("game_logs")

    def player_logs(self) -> dict[int, bytes]:
        return _by_slot(self._map("player_logs"))

    def player_artifacts(self) -> dict[int, bytes]:
        return _by_slot(self._map("player_artifact"))

    def _bytes(self, token: str) -> bytes | None:
        name = self.manifest.files.get(token)
        if isinstance(name, dict):
            raise BundleError(f"the bundle's files.{token} is an object", hint="it names one file")
        return None if name is None else self.archive.read(name)

    def _object(self, token: str) -> dict[str, Any] | None:
        data = self._bytes(token)
        return None if data is None else parse_json_object(data, name=f"the bundle's {token}")

    def _map(self, token: str) -> dict[str, bytes]:
        names = self.manifest.files.get(token, {})
        if isinstance(names, str):
            raise BundleError(f"the bundle's files.{token} is a string", hint="it names one file per key")
        return {key: self.archive.read(name) for key, name in names.items()}


def _by_slot(files: dict[str, bytes]) -> dict[int, bytes]:
    return {int(slot): data for slot, data in files.items() if slot.isdecimal()}


@contextmanager
def opened_bundle(source: Path | bytes, *, limits: ArchiveLimits | None = None) -> Iterator[EpisodeBundle]:
    """Open a bundle to read it.

    Raises:
        BundleError: the source is not a bundle, or it is a harmful zip.
    """
    name = "the bundle" if isinstance(source, bytes) else str(source)
    with opened_archive(source, name=name, limits=limits) as archive:
        if BUNDLE_MANIFEST not in archive.names:
            raise BundleError(
                f"{name} is not an episode bundle: it has no {BUNDLE_MANIFEST}", hint="create one with `coworld bundle`"
            )
        data = archive.read(BUNDLE_MANIFEST)
        if len(data) > _MANIFEST_LIMIT:
            raise BundleError(f"{BUNDLE_MANIFEST} of {name} is too large", hint="make the bundle again")
        document = parse_json_object(data, name=f"{BUNDLE_MANIFEST} of {name}")
        try:
            manifest = BundleManifest.model_validate(document)
        except ValidationError as error:
            first = problems_of(error, BundleManifest)[0]
            raise BundleError(f"{name} is not an episode bundle: {BUNDLE_MANIFEST}: {first}", hint=first.fix) from None
        missing = sorted(set(_named(manifest.files.values())) - set(archive.names))
        if missing:
            raise BundleError(
                f"{name} lacks {missing[0]}, which its {BUNDLE_MANIFEST} names", hint="make the bundle again"
            )
        yield EpisodeBundle(manifest, archive)


def _named(values: Iterable[str | dict[str, str]]) -> Iterator[str]:
    for value in values:
        yield from [value] if isinstance(value, str) else value.values()
