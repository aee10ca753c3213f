"""Parsed URIs, and the base class for adding a scheme."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = [
    "CheckpointMetadata",
    "FileParsedScheme",
    "MettaParsedScheme",
    "MockParsedScheme",
    "ParsedScheme",
    "S3ParsedScheme",
    "SchemeResolver",
]

POLICY_SPEC_FILENAME = "policy_spec.json"
POLICY_MANIFEST_FILENAME = "cogames.toml"

_VERSIONED = re.compile(r"(?P<run>.+):v(?P<epoch>[0-9]+)(?:\.zip)?", re.DOTALL)


class CheckpointMetadata(BaseModel):
    """The run and the epoch in the name of a checkpoint, `<run>:v<epoch>`."""

    model_config = ConfigDict(frozen=True)

    run_name: str
    epoch: int
    uri: str


class FileParsedScheme(BaseModel):
    """A file or folder on this machine. `canonical` is `file://` and the absolute path, percent-encoded."""

    model_config = ConfigDict(frozen=True)

    scheme: Literal["file"] = "file"
    canonical: str
    local_path: Path

    @property
    def checkpoint_info(self) -> tuple[str, int] | None:
        return run_and_epoch(str(self.local_path))


class S3ParsedScheme(BaseModel):
    """An object in an S3 bucket."""

    model_config = ConfigDict(frozen=True)

    scheme: Literal["s3"] = "s3"
    canonical: str
    bucket: str
    key: str

    @property
    def local_path(self) -> None:
        return None

    @property
    def checkpoint_info(self) -> tuple[str, int] | None:
        return run_and_epoch(self.key.partition("?")[0])  # a signed URL has a query


class MockParsedScheme(BaseModel):
    """A policy class by its short or full name; there is no file."""

    model_config = ConfigDict(frozen=True)

    scheme: Literal["mock"] = "mock"
    canonical: str
    path: str

    @property
    def local_path(self) -> None:
        return None

    @property
    def checkpoint_info(self) -> tuple[str, int] | None:
        return self.path, 0


class MettaParsedScheme(BaseModel):
    """A policy on a server: `metta://policy/<name or id>[:vN]`; `path` is everything after `metta://`."""

    model_config = ConfigDict(frozen=True)

    scheme: Literal["metta"] = "metta"
    canonical: str
    path: str

    @property
    def local_path(self) -> None:
        return None

    @property
    def checkpoint_info(self) -> tuple[str, int] | None:
        return run_and_epoch(self.path)


ParsedScheme = FileParsedScheme | S3ParsedScheme | MockParsedScheme | MettaParsedScheme


class SchemeResolver(ABC):
    """Parses the URIs of one scheme.

    Derive from it to add a scheme, and list the class in the entry point group `mettagrid.uri_resolvers` or pass an
    object to `register_scheme_resolver`. It is created without arguments.
    """

    @property
    @abstractmethod
    def scheme(self) -> str:
        """The part before `://`."""

    @property
    def _expected_prefix(self) -> str:
        return f"{self.scheme}://"

    def matches_scheme(self, uri: str) -> bool:
        """Return whether this resolver handles `uri`."""
        return uri.startswith(self._expected_prefix)

    @abstractmethod
    def parse(self, uri: str) -> ParsedScheme:
        """Parse `uri`; raises `ValueError` if it is malformed. Uses only the text."""

    def get_path_to_policy_spec(self, uri: str) -> str:
        """Return the URI of the bundle that `uri` means, resolving choices such as `:latest`."""
        return uri


def run_and_epoch(path: str) -> tuple[str, int] | None:
    """Return the run and epoch of a path whose last part is `<run>:v<epoch>`, with or without `.zip`, or None."""
    match = _VERSIONED.fullmatch(path.rstrip("/").rpartition("/")[2])
    return None if match is None else (match["run"], int(match["epoch"]))


_extract_run_and_epoch = run_and_epoch
