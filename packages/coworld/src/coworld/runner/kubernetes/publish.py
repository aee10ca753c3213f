"""Write the files of an episode to the URIs of its Job, in an order that lets a reader trust what it finds.

The failure comes first, before anything is deleted. After a good episode: status, results, replay, events, trajectory,
debug archive, logs, artifacts. Results are therefore no proof that everything is there; the worker's exit code 0 is.
"""

import json
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from coworld.runner.artifacts import EpisodeArtifacts, write_document
from coworld.runner.failures import EpisodeFailure, RunnerEpisodeError
from coworld.runner.kubernetes.settings import Outputs
from coworld.runner.kubernetes.timings import Timings
from coworld.uris.transfer import UriError, write_uri

LARGEST_STATUS = 1 << 20
LARGEST_TOTAL = 32 << 30
JSON, BYTES, ZIP, TEXT = "application/json", "application/octet-stream", "application/zip", "text/plain"


class Publisher:
    """Publishes the outputs of one episode. The first published failure is final."""

    def __init__(self, outputs: Outputs, artifacts: EpisodeArtifacts, timings: Timings) -> None:
        self._outputs, self._artifacts, self._timings = outputs, artifacts, timings
        self._total = 0
        self.failure: EpisodeFailure | None = None

    def fail(self, failure: EpisodeFailure) -> None:
        """Publish a failure, unless an earlier one was."""
        if self.failure is not None:
            return
        self.failure = failure
        write_document(self._artifacts.error_info_path, failure.document())
        uri = self._outputs.uris.get("ERROR_INFO_URI")
        if uri is not None:
            try:
                write_uri(uri, json.dumps(failure.document()).encode(), content_type=JSON)
            except UriError as error:
                print(f"error_info.json could not be published: {error}", file=sys.stderr)

    def publish(self) -> None:
        """Publish the files of an episode. Raises RunnerEpisodeError (`artifact_transport_error`).

        After a failure results and replay are left out, and what cannot be written is only reported on stderr.
        """
        files, uris = self._artifacts, self._outputs.uris
        self._put(uris.get("PLAYER_STATUS_URI"), files.player_status_path, JSON, LARGEST_STATUS)
        if self.failure is None:
            self._put(uris.get("RESULTS_URI"), files.results_path, JSON)
            self._put(uris.get("REPLAY_URI"), files.replay_path, BYTES)
            self._put(uris.get("EVENTS_URI"), files.events_path, JSON)
            self._put(uris.get("TRAJECTORY_URI"), files.trajectory_path, "application/jsonl")
        if "DEBUG_URI" in uris:
            archive = files.workspace / "debug.zip"
            write_archive(archive, files.workspace, lambda name: name.startswith("logs/"))
            self._put(uris["DEBUG_URI"], archive, ZIP)
        self._put_by_slot("POLICY_LOG_URLS", files.policy_log_path, TEXT)
        self._put_by_slot("PLAYER_ARTIFACT_UPLOAD_URLS", files.policy_artifact_path, ZIP)
        self._put_by_slot("PLAYER_EPISODE_ANNOTATIONS_URLS", files.policy_annotations_path, "application/jsonl")
        timings = files.workspace / "worker_timings.json"
        write_document(timings, self._timings.document())
        self._put(uris.get("WORKER_TIMINGS_URI"), timings, JSON)

    def _put_by_slot(self, name: str, path_of: Callable[[int], Path], content_type: str) -> None:
        for slot, uri in self._outputs.by_slot.get(name, {}).items():
            self._put(uri, path_of(slot), content_type)

    def _put(self, uri: str | None, path: Path, content_type: str, limit: int = LARGEST_TOTAL) -> None:
        """Write one file, if there is one and it has a target."""
        if uri is None or not path.is_file():
            return
        try:
            size = path.stat().st_size
            if size > limit or self._total + size > LARGEST_TOTAL:
                raise UriError(f"{path.name} is larger than its limit")
            self._total += size
            write_uri(uri, path.read_bytes(), content_type=content_type)
        except OSError as error:
            if self.failure is None:
                message = f"{path.name} could not be published: {error}"
                raise RunnerEpisodeError(message, error_type="artifact_transport_error") from None
            print(f"{path.name} could not be published: {error}", file=sys.stderr)


def write_archive(target: Path, folder: Path, wanted: Callable[[str], bool] = lambda name: True) -> None:
    """Write the plain files of a folder to a zip archive."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, _, names in os.walk(folder):
            for name in sorted(names):
                path = Path(place, name)
                relative = path.relative_to(folder).as_posix()
                if path != target and path.is_file() and not path.is_symlink() and wanted(relative):
                    archive.write(path, relative)
