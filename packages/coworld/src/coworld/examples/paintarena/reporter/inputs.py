"""Inputs and outputs of both reporters: the request in the environment, an episode's files, and a report's zip."""

from __future__ import annotations

import io
import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from coworld.bundle.archives import write_archive
from coworld.models.reporter_request import (
    REPORT_REQUEST_ENV_VAR,
    ReporterArtifactRef,
    ReporterEpisodeInput,
    ReportRequest,
)
from coworld.roles.report_checks import ReportManifest
from coworld.uris.transfer import read_uri, write_uri

__all__ = ["ReporterInputs", "load_reporter_inputs", "report_zip"]


@dataclass(frozen=True)
class ReporterInputs:
    """One episode and the destination of its report."""

    episode: ReporterEpisodeInput
    report_uri: str

    def require_success(self) -> None:
        """Refuse an episode that did not end: its numbers would mislead."""
        if self.episode.status != "success":
            raise RuntimeError(f"Episode {self.episode.episode_request_id} has the status {self.episode.status!r}")

    def results(self) -> bytes:
        return _artifact("results", self.episode.artifacts.results)

    def replay(self) -> bytes:
        return _artifact("replay", self.episode.artifacts.replay)

    def write(self, report: bytes) -> None:
        """Put the report's zip at its address."""
        write_uri(self.report_uri, report, content_type="application/zip")


def load_reporter_inputs() -> ReporterInputs:
    """Read the request from `COGAME_REPORT_REQUEST`: `KeyError` without it, `ValueError` unless it has one episode."""
    request = ReportRequest.model_validate_json(os.environ[REPORT_REQUEST_ENV_VAR])
    if len(request.episodes) != 1:
        raise ValueError(f"A Paint Arena reporter takes one episode; the request has {len(request.episodes)}")
    return ReporterInputs(request.episodes[0], request.report_uri)


def report_zip(manifest: ReportManifest, files: Mapping[str, bytes]) -> bytes:
    """Return a report: its manifest, then the files; equal contents give equal bytes."""
    document = json.dumps(manifest.model_dump(), indent=2).encode() + b"\n"
    buffer = io.BytesIO()
    write_archive(buffer, [("manifest.json", document), *files.items()])
    return buffer.getvalue()


def _artifact(name: str, reference: ReporterArtifactRef | None) -> bytes:
    if reference is None:
        raise RuntimeError(f"The request names no {name}")
    data = read_uri(reference.uri)
    return zlib.decompress(data) if reference.encoding == "zlib" else data
