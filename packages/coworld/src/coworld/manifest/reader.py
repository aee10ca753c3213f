"""Read a document as a manifest, or report all of its problems."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from coworld.errors import ManifestError, Problem
from coworld.manifest.lift import lift_stored_manifest
from coworld.manifest.parts import partial_manifest
from coworld.manifest.validation import certification_player_problems, game_config_problems, manifest_problems
from coworld.models.manifest import (
    COWORLD_MANIFEST_V0,
    COWORLD_MANIFEST_V1,
    CoworldManifest,
    CoworldManifestV1,
    ManifestVersion,
)
from coworld.schema.problems import problems_of

__all__ = [
    "ValidatedManifest",
    "manifest_schema_hash",
    "read_authored_manifest",
    "read_downloaded_manifest",
    "to_runtime_manifest",
    "validate_upload_manifest",
]

_MODELS: dict[str, type[CoworldManifest]] = {
    COWORLD_MANIFEST_V0: CoworldManifest,
    COWORLD_MANIFEST_V1: CoworldManifestV1,
}
_VERSIONS: TypeAdapter[ManifestVersion] = TypeAdapter(ManifestVersion)


@dataclass(frozen=True)
class ValidatedManifest:
    """A manifest with a valid shape and fixture, and the version of its format."""

    api_version: str
    schema_hash: str
    runtime_manifest: CoworldManifest


def read_authored_manifest(document: object) -> CoworldManifest:
    """Read a document as its author must write it: no unknown keys, and all rules hold.

    Raises:
        ManifestError: with every problem: those of the shape first, then the other broken rules.
    """
    try:
        manifest = _read(document, extra="forbid")
    except ManifestError as error:
        seen = {problem.path for problem in error.problems}
        further = [problem for problem in _further_problems(document) if problem.path not in seen]
        raise ManifestError([*error.problems, *further]) from error.__cause__
    _raise_if_any(manifest_problems(manifest))
    return manifest


def _further_problems(document: object) -> list[Problem]:
    """Return the broken rules of a document whose shape is wrong in another part."""
    if not isinstance(document, dict):
        return []
    try:
        return manifest_problems(_read(document, extra="ignore"))
    except ManifestError:
        parts = partial_manifest(document)
        return [] if parts is None else game_config_problems(parts)


def read_downloaded_manifest(document: dict[str, Any]) -> CoworldManifest:
    """Read a manifest that a server has accepted: ignore unknown keys at every depth, convert older shapes, and leave
    rules over several fields to the code that runs it.

    Raises:
        ManifestError: with every problem of the shape.
    """
    return _read(document, extra="ignore")


def validate_upload_manifest(document: dict[str, Any]) -> ValidatedManifest:
    """Check the shape of an authored document, and that the fixture names players that exist.

    Configurations are checked by `coworld.manifest.validation.validate_coworld_manifest_game_configs`.
    """
    manifest = _read(document, extra="forbid")
    _raise_if_any(certification_player_problems(manifest))
    version = _api_version(document)
    return ValidatedManifest(version, manifest_schema_hash(version), manifest)


def to_runtime_manifest(api_version: str, document: dict[str, Any]) -> CoworldManifest:
    """Read a stored document of a known version."""
    model = _model_of(api_version)
    return _runtime(_validate(model, lift_stored_manifest(document), extra="ignore"))


def manifest_schema_hash(api_version: ManifestVersion | str) -> str:
    """Return the SHA-256 of a version's JSON Schema with sorted keys."""
    schema = _model_of(api_version).model_json_schema(by_alias=True)
    return hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()


def _read(document: object, *, extra: Literal["forbid", "ignore"]) -> CoworldManifest:
    if not isinstance(document, dict):
        raise ManifestError([Problem("", "a manifest is a JSON object", "start the document with `{`")])
    model = _model_of(_api_version(document))
    if extra == "ignore":
        document = lift_stored_manifest(document)
    return _runtime(_validate(model, document, extra=extra))


def _api_version(document: dict[str, Any]) -> Any:
    return document.get("apiVersion", COWORLD_MANIFEST_V0)


def _model_of(api_version: object) -> type[CoworldManifest]:
    try:
        return _MODELS[_VERSIONS.validate_python(api_version)]
    except ValidationError as error:
        fix = f"write {COWORLD_MANIFEST_V1}, or leave apiVersion out for {COWORLD_MANIFEST_V0}"
        message = f"{api_version!r} is not a version of the manifest"
        raise ManifestError([Problem("apiVersion", message, fix)]) from error


def _validate(
    model: type[CoworldManifest], document: dict[str, Any], *, extra: Literal["forbid", "ignore"]
) -> CoworldManifest:
    try:
        return model.model_validate(document, extra=extra)
    except ValidationError as error:
        raise ManifestError(problems_of(error, model)) from error
    except RecursionError:
        raise ManifestError([Problem("", "the document is nested too deeply", "flatten it")]) from None


def _runtime(manifest: CoworldManifest) -> CoworldManifest:
    """Return the manifest without the version of its format."""
    if type(manifest) is CoworldManifest:
        return manifest
    fields = {name: getattr(manifest, name) for name in manifest.model_fields_set & set(CoworldManifest.model_fields)}
    return CoworldManifest.model_construct(**fields)


def _raise_if_any(problems: list[Problem]) -> None:
    if problems:
        raise ManifestError(problems, text=problems[0].message)
