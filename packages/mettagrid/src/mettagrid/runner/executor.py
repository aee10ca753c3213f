"""The entry point of a container that plays one episode: `python -m mettagrid.runner.executor`.

All settings are environment variables:

| variable | meaning |
|---|---|
| `JOB_SPEC_URI` | the job, a `SingleEpisodeJob` as JSON; unknown fields are ignored |
| `RESULTS_URI`, `REPLAY_URI` | destinations of results and replay |
| `ERROR_INFO_URI` | destination of a `RunnerError` if the episode fails |
| `RUNTIME_INFO_URI` | destination of a `RuntimeInfo`, with `GIT_COMMIT` and `COGAMES_VERSION` |
| `DEBUG_URI` | destination of a zip of traces |
| `POLICY_LOG_URLS` | JSON, {agent: address for its policy's log} |
| `POLICY_SECRETS_URI` | JSON, {"policies": {index: {variable: value}}}; no policy sees those of another |
| `LOG_LEVEL` | of this program |

Addresses are `file://`, `s3://`, or signed ones to PUT to. The exit status is 0 when the episode was played and every
policy with it, 1 otherwise, 143 after SIGTERM. The files that exist are uploaded in any case.
"""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import tempfile
import zipfile
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import NoReturn, Self

from pydantic import ValidationError

from mettagrid.base_config import LENIENT_CONTEXT
from mettagrid.runner.episode_runner import EpisodeSubprocessError, run_episode_isolated
from mettagrid.runner.episode_subprocess import runner_error
from mettagrid.runner.types import RunnerError, RuntimeInfo, SingleEpisodeJob
from mettagrid.util.file import copy_data, read, write_data

__all__ = ["main"]

logger = logging.getLogger(__name__)

JSON = "application/json"


class _JobError(Exception):
    """The episode has no result, or a policy failed; carries the error to report."""

    def __init__(self, error: RunnerError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass
class _Settings:
    """The environment variables of the module's table."""

    job_spec_uri: str
    results_uri: str | None
    replay_uri: str | None
    error_info_uri: str | None
    runtime_info_uri: str | None
    debug_uri: str | None
    policy_secrets_uri: str | None
    policy_log_urls: dict[str, str] = field(default_factory=dict)
    runtime: RuntimeInfo = field(default_factory=RuntimeInfo)

    @classmethod
    def take(cls, environment: MutableMapping[str, str]) -> Self:
        """Read the variables; remove the address of the secrets, so that no child process sees it."""
        job_spec_uri = environment.get("JOB_SPEC_URI")
        if not job_spec_uri:
            raise SystemExit("JOB_SPEC_URI is not set: it must hold the address of the job")
        return cls(
            job_spec_uri=job_spec_uri,
            policy_secrets_uri=environment.pop("POLICY_SECRETS_URI", None),
            results_uri=environment.get("RESULTS_URI"),
            replay_uri=environment.get("REPLAY_URI"),
            error_info_uri=environment.get("ERROR_INFO_URI"),
            runtime_info_uri=environment.get("RUNTIME_INFO_URI"),
            debug_uri=environment.get("DEBUG_URI"),
            policy_log_urls=json.loads(environment.get("POLICY_LOG_URLS") or "{}"),
            runtime=RuntimeInfo(
                git_commit=environment.get("GIT_COMMIT"),
                cogames_version=environment.get("COGAMES_VERSION"),
                instance_type=environment.get("INSTANCE_TYPE"),
            ),
        )


def main() -> int:
    """Play the job that the environment describes; return the exit status."""
    logging.getLogger().setLevel(os.environ.get("LOG_LEVEL", "INFO").upper())
    settings = _Settings.take(os.environ)
    with tempfile.TemporaryDirectory(prefix="executor-") as folder:
        run = _Run(settings, Path(folder))
        signal.signal(signal.SIGTERM, run.on_terminate)
        return run.run()


class _Run:
    def __init__(self, settings: _Settings, folder: Path) -> None:
        self._settings = settings
        self._debug_dir = folder / "debug"
        self._logs = folder / "logs"
        self._results = folder / "results.json"
        self._replay = folder / "replay.json.z"
        if settings.replay_uri is not None and settings.replay_uri.split("?")[0].endswith(".gz"):
            self._replay = folder / "replay.json.gz"
        for path in (self._debug_dir, self._logs):
            path.mkdir()

    def run(self) -> int:
        settings = self._settings
        if settings.runtime_info_uri is not None:
            write_data(settings.runtime_info_uri, settings.runtime.model_dump_json(), content_type=JSON)
        try:
            self._play(self._read_job(), self._read_secrets())
        except _JobError as problem:
            logger.error("%s: %s", problem.error.error_type, problem.error.message)
            if settings.error_info_uri is not None:
                write_data(settings.error_info_uri, problem.error.model_dump_json(), content_type=JSON)
            return 1
        finally:
            self._send()
        return 0

    def on_terminate(self, number: int, frame: FrameType | None) -> NoReturn:
        """Exit on SIGTERM; `run` uploads the existing files on the way out, for debugging."""
        raise SystemExit(128 + number)

    def _read_job(self) -> SingleEpisodeJob:
        try:
            return SingleEpisodeJob.model_validate_json(read(self._settings.job_spec_uri), context=LENIENT_CONTEXT)
        except ValidationError as problem:
            raise _JobError(runner_error("config_error", problem)) from problem

    def _read_secrets(self) -> dict[int, dict[str, str]]:
        uri = self._settings.policy_secrets_uri
        if uri is None:
            return {}
        return {int(index): secrets for index, secrets in json.loads(read(uri)).get("policies", {}).items()}

    def _play(self, job: SingleEpisodeJob, secrets: dict[int, dict[str, str]]) -> None:
        try:
            run_episode_isolated(
                job.episode_spec(),
                self._results,
                replay_path=None if self._settings.replay_uri is None else self._replay,
                debug_dir=self._debug_dir,
                policy_log_dir=self._logs,
                policy_secrets=secrets,
            )
        except EpisodeSubprocessError as problem:
            raise _JobError(problem.runner_error or runner_error("crash", problem)) from problem
        except (FileNotFoundError, ValueError) as problem:  # a missing policy, or assignments that do not fit
            raise _JobError(runner_error("policy_error", problem)) from problem
        except Exception as problem:
            logger.exception("The episode could not be played")
            raise _JobError(runner_error("crash", problem)) from problem

    def _send(self) -> None:
        """Upload the files that exist, whether the episode succeeded or not."""
        settings = self._settings
        for path, uri, kind in (
            (self._results, settings.results_uri, JSON),
            (self._replay, settings.replay_uri, "application/x-compress"),
        ):
            if uri is not None and path.exists():
                copy_data(str(path), uri, content_type=kind)
        for agent, url in settings.policy_log_urls.items():
            log = self._logs / f"{agent}.log"
            if log.exists():
                write_data(url, log.read_bytes(), content_type="text/plain")
        self._send_debug()

    def _send_debug(self) -> None:
        if self._settings.debug_uri is None:
            return
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(self._debug_dir.rglob("*")):
                archive.write(path, path.relative_to(self._debug_dir))
        write_data(self._settings.debug_uri, content.getvalue(), content_type="application/zip")


if __name__ == "__main__":
    raise SystemExit(main())
