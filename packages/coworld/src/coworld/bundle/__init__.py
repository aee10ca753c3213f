"""Episode bundles: the files of one episode in a zip, for tools that explain, grade or improve.

The `manifest.json` of a bundle says which files are where; readers follow it and guess no names. The other names of
the published module `coworld.bundle` are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coworld.bundle.reader import BundleManifest, EpisodeBundle, opened_bundle
from coworld.bundle.writer import INCLUDE_TOKENS, make_bundle, parse_include, write_bundle

if TYPE_CHECKING:
    from coworld.build.package_files import VIEWER_SCRIPT as REPLAY_VIEWER_BUILD_HOOK
    from coworld.build.pipeline import build_coworld_manifest
    from coworld.build.registry import resolve_registry_image_ref
    from coworld.engines.image_refs import (
        image_ref_without_tag,
        is_digest_pinned_image_ref,
        is_mutable_registry_image_ref,
    )
    from coworld.manifest.published import validate_upload_manifest
    from coworld.models.runnables import MANIFEST_ROLE_SECTIONS as ROLE_SECTIONS
    from coworld.runner.player_files import resolve_player_file
    from coworld.schema.validation import load_json_object

__all__ = [
    "INCLUDE_TOKENS",
    "REPLAY_VIEWER_BUILD_HOOK",
    "ROLE_SECTIONS",
    "BundleManifest",
    "EpisodeBundle",
    "build_coworld_manifest",
    "image_ref_without_tag",
    "is_digest_pinned_image_ref",
    "is_mutable_registry_image_ref",
    "load_json_object",
    "make_bundle",
    "opened_bundle",
    "parse_include",
    "resolve_player_file",
    "resolve_registry_image_ref",
    "validate_upload_manifest",
    "write_bundle",
]

_PUBLISHED = {
    "REPLAY_VIEWER_BUILD_HOOK": "coworld.build.package_files:VIEWER_SCRIPT",
    "build_coworld_manifest": "coworld.build.pipeline:build_coworld_manifest",
    "resolve_registry_image_ref": "coworld.build.registry:resolve_registry_image_ref",
    "ROLE_SECTIONS": "coworld.models.runnables:MANIFEST_ROLE_SECTIONS",
    "image_ref_without_tag": "coworld.engines.image_refs:image_ref_without_tag",
    "is_digest_pinned_image_ref": "coworld.engines.image_refs:is_digest_pinned_image_ref",
    "is_mutable_registry_image_ref": "coworld.engines.image_refs:is_mutable_registry_image_ref",
    "load_json_object": "coworld.schema.validation:load_json_object",
    "resolve_player_file": "coworld.runner.player_files:resolve_player_file",
    "validate_upload_manifest": "coworld.manifest.published:validate_upload_manifest",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLISHED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PUBLISHED[name].partition(":")
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return [*globals(), *_PUBLISHED]
