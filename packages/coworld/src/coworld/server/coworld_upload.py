"""Publish a Coworld: certify it here, send its images and files, then its manifest; wait for the server's checks."""

from __future__ import annotations

import copy
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworld.models.runnables import MANIFEST_ROLE_SECTIONS
from coworld.server.policy_upload import UploadError, archived, upload_image

if TYPE_CHECKING:
    from coworld.engines.base import Engine
    from coworld.manifest.package import CoworldPackage
    from coworld.server.upload_client import CoworldUploadClient
    from softmax.wire.coworlds import CertificationStatus, CoworldResponse
    from softmax.wire.requests import EpisodeRequestSummary

__all__ = [
    "SMOKE_SOURCE",
    "SmokeStatus",
    "certified_here",
    "image_fields",
    "smoke_status",
    "stored_manifest",
    "updated_manifest",
    "upload_coworld",
    "wait_for_certification",
    "wait_for_smoke",
]

SMOKE_SOURCE = "coworld_upload"
SECTIONS = (*MANIFEST_ROLE_SECTIONS, "reporter")
ENDED = frozenset({"completed", "failed", "cancelled", "canceled"})
BUNDLE_SECONDS = 600.0


def certified_here(path: Path, engine: Engine, *, timeout_seconds: float, say: Callable[[str], None]) -> None:
    """Certify a Coworld on this machine, unless this version of it has passed before; raises `UploadError`."""
    from coworld.certification.certify import certify, step_line

    report = certify(
        path, engine=engine, timeout_seconds=timeout_seconds, on_step=lambda result, step: say(step_line(result))
    )
    if not report.certified:
        raise UploadError(f"It is not certified, so it was not uploaded: {report.failure_reason}")


def image_fields(manifest: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every object of a manifest that has an `image`."""
    runnable = manifest.get("game", {}).get("runnable")
    objects = [runnable, *(entry for section in SECTIONS for entry in manifest.get(section) or [])]
    for entry in objects:
        if isinstance(entry, dict) and isinstance(entry.get("image"), str):
            yield entry


def upload_coworld(
    client: CoworldUploadClient,
    package: CoworldPackage,
    *,
    visibility: str | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> CoworldResponse:
    """Send a Coworld's images, files and manifest. Nothing is sent twice, so a failed upload can be repeated.

    Raises:
        UploadError: an image or file cannot be sent. `ClientError`: the server refuses.
    """
    from coworld.engines.image_refs import is_mutable_registry_image_ref
    from coworld.engines.local_images import LocalImages

    manifest = copy.deepcopy(package.sources)
    images = sorted({entry["image"] for entry in image_fields(manifest)})
    own = LocalImages()
    for image in images:
        if is_mutable_registry_image_ref(image):
            raise UploadError(
                f"{image} may be another image tomorrow: pin it by digest, or build it with coworld build"
            )
    ids: dict[str, str] = {}
    for entry in image_fields(manifest):
        image = entry["image"]
        if image not in ids:
            ids[image] = image if own.has(image) else _send_image(client, package, entry, say)
        entry["image"] = ids[image]
    _send_player_files(client, package, manifest)
    _send_viewer(client, package, manifest)
    _send_reporters(client, package, manifest)
    return client.upload_manifest(manifest, visibility=visibility)


def _send_image(
    client: CoworldUploadClient, package: CoworldPackage, entry: Mapping[str, Any], say: Callable[[str], None]
) -> str:
    """Send the image of an entry; without such an image here, the program that stands for it beside the manifest."""
    from coworld.engines.local_images import LocalImages
    from coworld.server.program_upload import upload_program

    try:
        return upload_image(client, entry["image"], say=say)
    except UploadError:
        programs = LocalImages.beside(package.path)
        if not programs.has(entry["image"]):
            raise
        return upload_program(client, programs.find(entry["image"]), entry.get("run") or [], say=say)


def _send_player_files(client: CoworldUploadClient, package: CoworldPackage, manifest: dict[str, Any]) -> None:
    for player in manifest.get("player") or []:
        file = player.get("file")
        if not isinstance(file, str) or file.startswith("sha256:"):
            continue
        data = archived(package.file(file))
        digest = hashlib.sha256(data).hexdigest()
        begun = client.request_coworld_player_file_upload(content_hash=digest, size_bytes=len(data))
        if begun.upload_url is not None:
            client.put_signed(begun.upload_url, data)
        player["file"] = f"sha256:{digest}"


def _send_viewer(client: CoworldUploadClient, package: CoworldPackage, manifest: dict[str, Any]) -> None:
    viewer = manifest.get("game", {}).get("replay_viewer")
    if not isinstance(viewer, dict) or str(viewer.get("bundle", "")).startswith("sha256:"):
        return
    data = archived(package.file(viewer["bundle"]))
    about: dict[str, Any] = {"content_hash": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
    begun = client.request_replay_viewer_bundle_upload(**about)
    if begun.upload_url is not None:
        client.put_signed(begun.upload_url, data, content_type="application/zip")
    deadline, pause = time.monotonic() + BUNDLE_SECONDS, 0.5
    while True:
        state = client.complete_replay_viewer_bundle_upload(**about)
        if state.status == "ready":
            viewer["bundle"] = state.bundle
            return
        if state.status == "failed" or time.monotonic() > deadline:
            raise UploadError(f"The server cannot use the replay viewer: {state.detail or 'it took too long'}")
        time.sleep(pause)
        pause = min(1.5 * pause, 15.0)


def _send_reporters(client: CoworldUploadClient, package: CoworldPackage, manifest: dict[str, Any]) -> None:
    """Send reporters that are components of the package, and refer to them as `owner/name@version`."""
    game = manifest["game"]["name"]
    for number, reporter in enumerate(manifest.get("reporter") or []):
        if "wasm" not in reporter:
            continue
        name, attributes = f"{game}-{reporter['id']}", reporter["attributes"]
        data = package.file(reporter["wasm"]).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        registered = client.register_reporter(
            name=name,
            display_name=reporter.get("display_name") or reporter["id"].replace("-", " ").capitalize(),
            description=reporter.get("description") or "",
            outputs=attributes.get("outputs") or [],
        )
        begun = client.request_reporter_upload(
            name=name, content_hash=digest, size_bytes=len(data), attributes=attributes
        )
        version = begun.existing_version
        if version is None:
            if begun.upload_url is not None:
                client.put_signed(begun.upload_url, data)
            version = client.complete_reporter_upload(name=name, content_hash=digest, attributes=attributes).version
        manifest["reporter"][number] = {"reporter": f"{registered.user_id}/{name}@{version.version}"}


def stored_manifest(client: CoworldUploadClient, coworld_id: str) -> dict[str, Any]:
    """Return the manifest of a published Coworld for another upload: images are ids again instead of addresses."""
    manifest = copy.deepcopy(client.get_coworld(coworld_id).manifest)
    wanted = {entry["image"] for entry in image_fields(manifest)}
    ids: dict[str, str] = {}
    cursor = None
    while not wanted <= ids.keys():
        page = client.list_images(cursor=cursor)
        ids |= {row.public_image_uri: row.id for row in page if row.public_image_uri is not None}
        cursor = page.next_cursor
        if cursor is None:
            break
    for entry in image_fields(manifest):
        entry["image"] = ids.get(entry["image"], entry["image"])
    return manifest


def updated_manifest(
    manifest: Mapping[str, Any], *, version: str | None, patch: str | None, images: Mapping[str, str]
) -> dict[str, Any]:
    """Return a stored manifest with changes: a JSON merge patch, then the version, then images by target.

    A target is `game`, a role such as `player` if it has one entry, `player.ID` or `player[0]`.
    """
    changed: dict[str, Any] = _merged(copy.deepcopy(dict(manifest)), _read_patch(patch))
    if version is not None:
        changed.setdefault("game", {})["version"] = version
    for target, image in images.items():
        _entry_of(changed, target)["image"] = image
    return changed


def _read_patch(patch: str | None) -> dict[str, Any]:
    if patch is None:
        return {}
    path = Path(patch)
    try:
        text = patch if patch.lstrip().startswith("{") else path.read_text()
        document = json.loads(text)
    except OSError as error:
        raise UploadError(f"--patch {patch}: {error.strerror}") from None
    except ValueError as error:
        raise UploadError(f"--patch is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise UploadError("--patch must be a JSON object")
    return document


def _merged(base: Any, patch: Any) -> Any:
    """Apply a JSON merge patch (RFC 7396): null removes a key, objects merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(result.get(key), value)
    return result


def _entry_of(manifest: dict[str, Any], target: str) -> dict[str, Any]:
    if target == "game":
        entry: dict[str, Any] = manifest["game"]["runnable"]
        return entry
    role, dot, role_id = target.partition(".")
    role, bracket, index = role.partition("[")
    entries = manifest.get(role)
    if role not in SECTIONS or not isinstance(entries, list):
        raise UploadError(f"--image {target}: the manifest has no {role}; write game, ROLE, ROLE.ID or ROLE[0]")
    if dot:
        found = [entry for entry in entries if entry.get("id") == role_id]
    elif bracket and index.removesuffix("]").isdigit():
        found = entries[int(index.removesuffix("]")) :][:1]
    else:
        found = entries
    if len(found) != 1:
        names = ", ".join(f"{role}.{entry.get('id')}" for entry in entries)
        raise UploadError(f"--image {target} means {len(found)} entries; there are: {names}")
    only: dict[str, Any] = found[0]
    return only


@dataclass(frozen=True)
class SmokeStatus:
    """The episodes by which the server tries a new version."""

    episodes: list[EpisodeRequestSummary]

    @property
    def has_ended(self) -> bool:
        return bool(self.episodes) and all(row.status in ENDED for row in self.episodes)

    @property
    def has_passed(self) -> bool:
        return self.has_ended and all(row.status == "completed" for row in self.episodes)


def smoke_status(client: CoworldUploadClient, coworld_id: str) -> SmokeStatus:
    page = client.list_coworld_episode_requests(coworld_id, source=SMOKE_SOURCE, limit=100)
    return SmokeStatus(page.entries)


def wait_for_smoke(
    client: CoworldUploadClient, coworld_id: str, *, seconds: float, pause: float = 2.0
) -> SmokeStatus | None:
    """Wait until the server has tried a version; None when the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        status = smoke_status(client, coworld_id)
        if status.has_ended:
            return status
        if time.monotonic() > deadline:
            return None
        time.sleep(pause)


def wait_for_certification(
    client: CoworldUploadClient,
    coworld_id: str,
    *,
    seconds: float,
    pause: float = 2.0,
    on_step: Callable[[str, str], None] = lambda step, status: None,
) -> CertificationStatus | None:
    """Wait until the server has certified a version or not; None when the time is over."""
    deadline, told = time.monotonic() + seconds, 0
    while True:
        status = client.get_coworld_certification(coworld_id)
        for step in status.transcript_summary[told:]:
            on_step(step.id, step.status)
        told = max(told, len(status.transcript_summary))
        if status.state in ("certified", "failed"):
            return status
        if time.monotonic() > deadline:
            return None
        time.sleep(pause)
