"""Read manifests with the errors of the published package: a wrong shape is a `pydantic.ValidationError`.

`coworld.manifest.reader` has the same functions for our own commands: they raise `ManifestError` with every problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError

from coworld.errors import DocumentError
from coworld.manifest import reader
from coworld.manifest.reader import ValidatedManifest
from coworld.models.manifest import CoworldManifest, ManifestVersion

__all__ = [
    "ManifestVersion",
    "published_errors",
    "read_downloaded_manifest",
    "to_runtime_manifest",
    "validate_upload_manifest",
]


@contextmanager
def published_errors() -> Iterator[None]:
    """Raise pydantic's own error in the place of the `DocumentError` that was made from it."""
    try:
        yield
    except DocumentError as error:
        if isinstance(error.__cause__, ValidationError):
            raise error.__cause__ from None
        raise


def validate_upload_manifest(document: dict[str, Any]) -> ValidatedManifest:
    """Check the shape of an authored document, and that the fixture names players that exist.

    Raises:
        pydantic.ValidationError: the shape is wrong.
        ManifestError: the fixture names an unknown player.
    """
    with published_errors():
        return reader.validate_upload_manifest(document)


def read_downloaded_manifest(document: dict[str, Any]) -> CoworldManifest:
    """Read a document that was accepted before: unknown keys are ignored and older shapes are brought up to date.

    Raises:
        pydantic.ValidationError: the shape is wrong.
    """
    with published_errors():
        return reader.read_downloaded_manifest(document)


def to_runtime_manifest(api_version: ManifestVersion | str, document: dict[str, Any]) -> CoworldManifest:
    """Read a stored document of a known version.

    Raises:
        pydantic.ValidationError: the shape is wrong, or there is no such version.
    """
    with published_errors():
        return reader.to_runtime_manifest(api_version, document)
