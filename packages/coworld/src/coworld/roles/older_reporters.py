"""The inputs of container reporters of older generations: a request as JSON, or a path for their statistics.

The files of the bundle lie unpacked beside it, and `COGAME_REPORT_REQUEST` names them. A reporter of the guide's time
may write only a table of statistics, to `COGAME_REPLAY_STATS_PARQUET_URI`; it becomes the event log of a report.
"""

from __future__ import annotations

import io
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from coworld.bundle.archives import write_archive
from coworld.bundle.reader import EpisodeBundle, opened_bundle
from coworld.models.reporter_request import (
    REPORT_REQUEST_ENV_VAR,
    ArtifactEncoding,
    BundleToken,
    ReporterArtifactRef,
    ReporterEpisodeArtifacts,
    ReporterEpisodeInlineJson,
    ReporterEpisodeInput,
    ReporterEpisodeManifest,
    ReporterErrorInfo,
    ReportRequest,
)

__all__ = ["STATS_NAME", "OlderReporterInputs", "older_reporter_inputs", "stats_report"]

STATS_NAME = "replay_stats.parquet"
FOLDER = "episode"
_TYPES = {"results": "application/json", "replay": "application/octet-stream"}


@dataclass(frozen=True)
class OlderReporterInputs:
    """The unpacked files of a bundle, and how a request names them."""

    manifest: ReporterEpisodeManifest
    files: Mapping[str, bytes]
    """by their names in the reporter's folder"""
    error: ReporterErrorInfo | None

    def variables(self, folder: str, report: str) -> dict[str, str]:
        """Return the variables of a reporter that sees its folder at this path and writes its report there."""

        def reference(name: str, kind: str) -> ReporterArtifactRef:
            encoding: ArtifactEncoding = "zlib" if name.endswith(".z") else "identity"
            return ReporterArtifactRef(uri=f"file://{folder}/{FOLDER}/{name}", media_type=kind, encoding=encoding)

        named = {key: value for key, value in self.manifest.files.items() if isinstance(value, str)}
        tables = {key: value for key, value in self.manifest.files.items() if isinstance(value, dict)}
        artifacts = ReporterEpisodeArtifacts.model_validate(
            {
                **{key: reference(name, _TYPES[key]) for key, name in named.items() if key in _TYPES},
                **{
                    key: {
                        part: reference(name, "application/zip" if key == "player_artifact" else "text/plain")
                        for part, name in table.items()
                    }
                    for key, table in tables.items()
                },
            }
        )
        episode = ReporterEpisodeInput(
            episode_request_id=self.manifest.ereq_id,
            status=self.manifest.status,
            manifest=self.manifest,
            artifacts=artifacts,
            inline_json=ReporterEpisodeInlineJson(error_info=self.error),
        )
        uri = f"file://{folder}/{report}"
        request = ReportRequest(request_id=f"report_{secrets.token_hex(8)}", episodes=[episode], report_uri=uri)
        return {
            REPORT_REQUEST_ENV_VAR: request.model_dump_json(exclude_none=True),
            "COGAME_REPLAY_STATS_PARQUET_URI": f"file://{folder}/{STATS_NAME}",
        }


def older_reporter_inputs(source: Path | bytes) -> OlderReporterInputs:
    """Unpack a bundle; raises BundleError when it is none."""
    with opened_bundle(source) as bundle:
        known = {key: value for key, value in bundle.manifest.files.items() if key in get_args(BundleToken)}
        names = [name for value in known.values() for name in ([value] if isinstance(value, str) else value.values())]
        manifest = ReporterEpisodeManifest.model_validate(
            {"ereq_id": bundle.id, "status": bundle.manifest.status, "include": list(known), "files": known}
        )
        files = {f"{FOLDER}/{name}": bundle.archive.read(name) for name in names}
        return OlderReporterInputs(manifest, files, _error(bundle))


def _error(bundle: EpisodeBundle) -> ReporterErrorInfo | None:
    error_info = bundle.error_info()
    if error_info is None:
        return None
    slot = error_info.get("failed_policy_index")
    return ReporterErrorInfo(
        error_type=str(error_info.get("error_type")),
        error=str(error_info.get("message")),
        failed_policy_index=slot if isinstance(slot, int) else None,
    )


def stats_report(stats: bytes, reporter_id: str) -> bytes:
    """Build a report whose event log is a table of statistics."""
    document = json.dumps({"reporter_id": reporter_id, "event_log": STATS_NAME}).encode()
    buffer = io.BytesIO()
    write_archive(buffer, [("manifest.json", document), (STATS_NAME, stats)])
    return buffer.getvalue()
