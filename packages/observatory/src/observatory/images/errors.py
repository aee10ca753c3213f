"""Errors of the registry, with the codes of the OCI distribution specification."""

from __future__ import annotations

from observatory.errors import ObservatoryError

__all__ = [
    "BlobUnknown",
    "BlobUploadInvalid",
    "BlobUploadUnknown",
    "Denied",
    "DigestInvalid",
    "ManifestBlobUnknown",
    "ManifestInvalid",
    "ManifestUnknown",
    "NameUnknown",
    "RangeInvalid",
    "RegistryError",
    "SizeInvalid",
    "code_of",
]


class RegistryError(ObservatoryError):
    """An error with a code that registry clients know."""

    code = "UNKNOWN"


class NameUnknown(RegistryError):
    status = 404
    code = "NAME_UNKNOWN"


class BlobUnknown(RegistryError):
    status = 404
    code = "BLOB_UNKNOWN"


class BlobUploadUnknown(RegistryError):
    status = 404
    code = "BLOB_UPLOAD_UNKNOWN"


class BlobUploadInvalid(RegistryError):
    status = 400
    code = "BLOB_UPLOAD_INVALID"


class RangeInvalid(RegistryError):
    status = 416
    code = "BLOB_UPLOAD_INVALID"


class DigestInvalid(RegistryError):
    status = 400
    code = "DIGEST_INVALID"


class ManifestUnknown(RegistryError):
    status = 404
    code = "MANIFEST_UNKNOWN"


class ManifestInvalid(RegistryError):
    status = 400
    code = "MANIFEST_INVALID"


class ManifestBlobUnknown(RegistryError):
    status = 404
    code = "MANIFEST_BLOB_UNKNOWN"


class SizeInvalid(RegistryError):
    status = 413
    code = "SIZE_INVALID"


class Denied(RegistryError):
    status = 403
    code = "DENIED"


_CODES = {401: "UNAUTHORIZED", 403: "DENIED", 404: "NAME_UNKNOWN", 413: "SIZE_INVALID", 429: "TOOMANYREQUESTS"}


def code_of(error: ObservatoryError) -> str:
    """Return the code of any error of the server."""
    return error.code if isinstance(error, RegistryError) else _CODES.get(error.status, "UNKNOWN")
