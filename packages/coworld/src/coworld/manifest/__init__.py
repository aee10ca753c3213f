"""Read manifests: strictly from authors, leniently from servers, in every version of the format."""

from coworld.manifest.published import (
    ManifestVersion,
    read_downloaded_manifest,
    to_runtime_manifest,
    validate_upload_manifest,
)
from coworld.manifest.reader import ValidatedManifest, manifest_schema_hash, read_authored_manifest
from coworld.models import RuntimeManifest
from coworld.models.manifest import COWORLD_MANIFEST_V0, COWORLD_MANIFEST_V1

__all__ = [
    "COWORLD_MANIFEST_V0",
    "COWORLD_MANIFEST_V1",
    "ManifestVersion",
    "RuntimeManifest",
    "ValidatedManifest",
    "manifest_schema_hash",
    "read_authored_manifest",
    "read_downloaded_manifest",
    "to_runtime_manifest",
    "validate_upload_manifest",
]
