"""Read manifests of images that clients push. A manifest must describe one image for linux/amd64."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from observatory.images.errors import DigestInvalid, ManifestInvalid

__all__ = ["Descriptor", "Manifest", "check_config", "check_digest", "parse_manifest", "sha256_digest"]

OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
MAX_MANIFEST_BYTES = 1024 * 1024
MAX_CONFIG_BYTES = 1024 * 1024
MAX_LAYERS = 256
PLATFORM = ("linux", "amd64")

_CONFIG_TYPES = {
    "application/vnd.oci.image.config.v1+json",
    "application/vnd.docker.container.image.v1+json",
}
_LAYER_TYPES = {
    "application/vnd.oci.image.layer.v1.tar",
    "application/vnd.oci.image.layer.v1.tar+gzip",
    "application/vnd.oci.image.layer.v1.tar+zstd",
    "application/vnd.docker.image.rootfs.diff.tar",
    "application/vnd.docker.image.rootfs.diff.tar.gzip",
}
_LISTS = {
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
}
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def check_digest(text: str) -> str:
    """Return the digest; raise `DigestInvalid` if it is not a SHA-256."""
    if not _DIGEST.fullmatch(text):
        raise DigestInvalid(f"{text[:100]!r} is not a digest; write `sha256:` and 64 hexadecimal digits")
    return text


def sha256_digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@dataclass(frozen=True)
class Descriptor:
    """A blob that a manifest refers to."""

    media_type: str
    digest: str
    size: int


@dataclass(frozen=True)
class Manifest:
    """An image manifest, as it was sent."""

    content: bytes
    media_type: str
    digest: str
    config: Descriptor
    layers: tuple[Descriptor, ...]

    @property
    def blobs(self) -> dict[str, int]:
        """Return the sizes of all blobs by digest."""
        return {blob.digest: blob.size for blob in (self.config, *self.layers)}

    @property
    def size(self) -> int:
        return sum(self.blobs.values())


def parse_manifest(content: bytes, content_type: str) -> Manifest:
    """Read a manifest; raise `ManifestInvalid` for anything but one image with layers of known types."""
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type in _LISTS:
        raise ManifestInvalid("Push one image for linux/amd64, not an index of several platforms")
    if media_type not in (OCI_MANIFEST, DOCKER_MANIFEST):
        raise ManifestInvalid(f"A manifest of the type {media_type[:100]!r} is not taken; use {OCI_MANIFEST}")
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise ManifestInvalid("The manifest is not JSON") from None
    if not isinstance(document, dict) or document.get("schemaVersion") != 2:
        raise ManifestInvalid("The manifest must be an object with `schemaVersion` 2")
    if document.get("mediaType", media_type) != media_type:
        raise ManifestInvalid(f"The manifest names another `mediaType` than its Content-Type {media_type}")
    layers = document.get("layers")
    if not isinstance(layers, list) or len(layers) > MAX_LAYERS:
        raise ManifestInvalid(f"`layers` must be a list of at most {MAX_LAYERS} layers")
    return Manifest(
        content,
        media_type,
        sha256_digest(content),
        _descriptor(document.get("config"), "config", _CONFIG_TYPES),
        tuple(_descriptor(layer, f"layers[{index}]", _LAYER_TYPES) for index, layer in enumerate(layers)),
    )


def check_config(config: bytes, manifest: Manifest) -> None:
    """Raise `ManifestInvalid` for an image of another platform, or with other layers than its manifest."""
    try:
        document = json.loads(config)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ManifestInvalid("The image's configuration is not a JSON object")
    platform = (document.get("os"), document.get("architecture"))
    if platform != PLATFORM:
        raise ManifestInvalid(
            f"The image is for {str(platform[0])[:40]}/{str(platform[1])[:40]}; build it for linux/amd64"
        )
    rootfs = document.get("rootfs")
    diff_ids = rootfs.get("diff_ids") if isinstance(rootfs, dict) else None
    if not isinstance(diff_ids, list) or len(diff_ids) != len(manifest.layers):
        raise ManifestInvalid(f"The image's configuration does not describe its {len(manifest.layers)} layers")


def _descriptor(value: Any, where: str, types: set[str]) -> Descriptor:
    if not isinstance(value, Mapping):
        raise ManifestInvalid(f"`{where}` of the manifest must be an object")
    media_type, digest, size = value.get("mediaType"), value.get("digest"), value.get("size")
    if not isinstance(media_type, str) or media_type not in types:
        raise ManifestInvalid(f"`{where}` of the manifest has the type {str(media_type)[:100]!r}, which is not taken")
    if value.get("urls"):
        raise ManifestInvalid(f"`{where}` of the manifest is stored elsewhere; push it as a blob")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise ManifestInvalid(f"`{where}` of the manifest has no SHA-256 digest")
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise ManifestInvalid(f"`{where}` of the manifest has no size")
    return Descriptor(media_type, digest, size)
