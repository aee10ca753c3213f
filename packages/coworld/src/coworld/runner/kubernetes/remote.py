"""Run an episode in a cluster from outside: create its Job, wait, fetch the outputs through the API, delete the Job.

A client that is killed leaves a Job that ends by itself: it has a deadline, its worker waits only some time for the
client, and the cluster deletes finished Jobs with everything they own. `sweep` removes what is left at once.
"""

import asyncio
import contextlib
import json
import secrets
import shutil
import time
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from coworld.engines.base import EngineError
from coworld.engines.kubernetes.cluster import ApiError, Cluster, Document, is_temporary, transport_errors
from coworld.engines.kubernetes.follower import PodFollower
from coworld.engines.kubernetes.player_pods import ARTIFACT_PORT, MANAGED_BY
from coworld.engines.kubernetes.verdicts import container_exit, has_started, pending_reason
from coworld.models.requests import CoworldEpisodeJobSpec, CoworldPlayerFileSpec
from coworld.runner.artifacts import EpisodeArtifacts, write_document
from coworld.runner.failures import EpisodeFailure, RunnerEpisodeError
from coworld.runner.io import PlayerRuntimeStatuses, RunnerError
from coworld.runner.kubernetes.endpoints import DONE_PATH, OUTPUTS_PATH, TOKEN_HEADER
from coworld.runner.kubernetes.job import REQUEST_DIR, JobPlan, episode_job, request_secret
from coworld.runner.lock import sole_use
from coworld.runner.options import EpisodeOptions
from coworld.runner.player_files import player_file_bytes
from coworld.runner.runner import EpisodeOutcome, in_a_loop

JOBS = "batch/v1/jobs"
POLL_SECONDS = 0.5
ABANDONED_SECONDS = 120.0
LARGEST_SECRET = 700 << 10
"""bytes; a Secret holds 1 MiB of base64"""
LONGEST_EPISODE = 7 * 24 * 3600.0
RUNNER_CONTAINERS = ("coworld-init-config", "launch-players", "worker")


@dataclass(frozen=True, kw_only=True)
class RemoteSettings:
    """How a client runs episodes in a cluster."""

    runner_image: str
    service_account: str = "episode-runner"
    start_seconds: float = 600.0
    """for the Job's pod to start"""
    outage_seconds: float = 120.0
    hold_seconds: float = 120.0


def run_remote_episode(
    request: CoworldEpisodeJobSpec,
    *,
    cluster: Cluster,
    workspace: Path,
    options: EpisodeOptions,
    settings: RemoteSettings,
) -> EpisodeOutcome:
    """Play one episode in a cluster and write its files to `workspace`, as `coworld.runner.runner.run_episode` does."""
    if options.verify_replay:
        raise EngineError("a cluster does not verify replays: leave `--verify-replay` out, or use another engine")
    with sole_use(workspace):
        artifacts = EpisodeArtifacts.create(workspace)
        run = _Remote(request, cluster, artifacts, options, settings)
        return in_a_loop(run.play())


def sweep(cluster: Cluster) -> list[str]:
    """Delete the finished Jobs of this tool in the namespace, and those whose client was killed before it created their
    Secret; return their names."""
    jobs, _ = cluster.list(JOBS, ",".join(f"{name}={value}" for name, value in MANAGED_BY.items()))
    names = []
    for job in jobs:
        finished = _has_ended(job) or _is_abandoned(cluster, job)
        if finished and cluster.delete(JOBS, job["metadata"]["name"], uid=job["metadata"]["uid"]):
            names.append(job["metadata"]["name"])
    return names


def _has_ended(job: Document) -> bool:
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(one["type"] in ("Complete", "Failed") and one["status"] == "True" for one in conditions)


def _is_abandoned(cluster: Cluster, job: Document) -> bool:
    """Return whether a Job waits for a Secret that its client should have created a while ago."""
    volumes = job["spec"]["template"]["spec"].get("volumes") or ()
    names = [volume["secret"]["secretName"] for volume in volumes if "secret" in volume]
    created = datetime.fromisoformat(job["metadata"]["creationTimestamp"].replace("Z", "+00:00"))
    old = (datetime.now(UTC) - created).total_seconds() > ABANDONED_SECONDS
    return old and any(cluster.get("secrets", name) is None for name in names)


class _Remote:
    """One Job from its creation to its deletion."""

    def __init__(
        self,
        request: CoworldEpisodeJobSpec,
        cluster: Cluster,
        artifacts: EpisodeArtifacts,
        options: EpisodeOptions,
        settings: RemoteSettings,
    ) -> None:
        self._cluster, self._artifacts, self._options, self._settings = cluster, artifacts, options, settings
        self._request = request
        self._files = _player_files(request, options)
        run_id = secrets.token_hex(8)
        self._token = secrets.token_urlsafe(24)
        name = f"{options.prefix}-{run_id}"
        self._plan = JobPlan(
            name=name,
            job_id=run_id,
            namespace=cluster.namespace,
            request=request,
            runner_image=settings.runner_image,
            secret=name,
            timeout_seconds=options.budget_seconds or LONGEST_EPISODE,
            hold_seconds=settings.hold_seconds,
            service_account=settings.service_account,
            variables=self._variables(),
        )
        self._pods = PodFollower(cluster, f"job-id={run_id},coworld-component=game")
        self._began = time.monotonic()

    def _variables(self) -> dict[str, str]:
        variables = {"POLICY_SECRETS_URI": f"file://{REQUEST_DIR}/policy_secrets.json"}
        if self._files:
            uris = {str(slot): f"file://{REQUEST_DIR}/player_file_{slot}" for slot in self._files}
            variables["PLAYER_FILE_URLS"] = json.dumps(uris)
        return variables

    async def play(self) -> EpisodeOutcome:
        failure: EpisodeFailure | None = None
        try:
            try:
                self._create()
                self._pods.start()
                await self._fetch()
                failure = self._fetched_failure()
            except RunnerEpisodeError as error:
                failure = EpisodeFailure.of(error)
            except EngineError as error:
                failure = EpisodeFailure("platform_error", str(error))
            except asyncio.CancelledError:
                failure = EpisodeFailure("node_disruption", "the run was interrupted before the episode ended")
                raise
            finally:
                problem = self._delete()
                if failure is None and problem:
                    failure = EpisodeFailure("platform_error", problem)
                if failure is not None:
                    write_document(self._artifacts.error_info_path, failure.document())
        finally:
            self._pods.close()
        return EpisodeOutcome(
            self._results(), failure, self._statuses(), self._artifacts, time.monotonic() - self._began
        )

    def _create(self) -> None:
        """Create the Job, then its Secret: the Job's pod waits for the Secret, and owns it from the beginning."""
        job = self._create_once(JOBS, episode_job(self._plan))
        metadata = job["metadata"]
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": metadata["name"], "uid": metadata["uid"]}
        contents = self._contents()
        if sum(map(len, contents.values())) > LARGEST_SECRET:
            raise RunnerEpisodeError(
                f"the episode request has more than the {LARGEST_SECRET} bytes that fit into a Kubernetes Secret: "
                "shorten the documents in the manifest, or name them by URI",
                error_type="config_error",
            )
        self._create_once("secrets", request_secret(self._plan, contents, owner))

    def _contents(self) -> dict[str, bytes]:
        """Return the files of the request: the episode, the secrets of players, the token, hosted players' files."""
        every, by_slot = self._options.secret_env, self._options.player_secret_env
        policies = {str(slot): {**every, **by_slot.get(slot, {})} for slot in range(len(self._request.players))}
        document = self._request.model_dump(mode="json", by_alias=True, exclude_none=True)
        return {
            "job_spec.json": json.dumps(document).encode(),
            "policy_secrets.json": json.dumps({"policies": policies}).encode(),
            "output_token": self._token.encode(),
            **{f"player_file_{slot}": data for slot, data in self._files.items()},
        }

    def _create_once(self, kind: str, document: Document) -> Document:
        """Create an object with a random name: one that exists was created by a request whose response was lost."""
        try:
            return self._cluster.create(kind, document)
        except ApiError as error:
            existing = self._cluster.get(kind, document["metadata"]["name"]) if error.status == 409 else None
            if existing is None:
                raise
            return existing

    async def _fetch(self) -> None:
        """Wait until the worker offers its outputs, and unpack them."""
        archive = self._artifacts.workspace / ".outputs.zip"
        try:
            while not self._download(archive):
                self._check_pod()
                await asyncio.sleep(POLL_SECONDS)
            _unpack(archive, self._artifacts.workspace)
        finally:
            archive.unlink(missing_ok=True)
        with contextlib.suppress(EngineError):
            self._ask(DONE_PATH).release_conn()

    def _pod(self) -> Document | None:
        return next(iter(self._pods.pods()), None)

    def _ask(self, path: str) -> Any:
        pod = self._pod()
        assert pod is not None
        headers = {TOKEN_HEADER: self._token}
        return self._cluster.get_from_pod(pod["metadata"]["name"], ARTIFACT_PORT, path.lstrip("/"), headers)

    def _download(self, target: Path) -> bool:
        pod = self._pod()
        if pod is None or not has_started(pod, "worker"):
            return False
        try:
            response = self._ask(OUTPUTS_PATH)
        except ApiError as error:
            if is_temporary(error) or error.status == 404:  # not ready, or the pod has just gone
                return False
            raise
        try:
            with open(target, "wb") as file:
                shutil.copyfileobj(response, file, 1 << 20)
            return zipfile.is_zipfile(target)
        except transport_errors():
            return False
        finally:
            response.release_conn()

    def _check_pod(self) -> None:
        """Raise the failure of a Job that will not produce outputs."""
        if self._pods.silence > self._settings.outage_seconds:
            raise EngineError(
                f"the Kubernetes API did not answer for {self._settings.outage_seconds:g} s: {self._pods.problem}"
            )
        pod = self._pod()
        gone = None
        if pod is None:
            gone = self._pods.deleted_pods()
            if gone:
                pod = gone[0]
        waited = time.monotonic() - self._began
        if pod is None or not any(has_started(pod, name) for name in RUNNER_CONTAINERS):
            self._check_pending(pod, waited, gone=bool(gone))
            return
        for name in RUNNER_CONTAINERS:
            ended = container_exit(pod, name, deleted=bool(gone))
            if ended is None or ended.clean:
                continue
            if ended.cause == "lost":
                raise self._loss(ended.reason)
            self._raise_error_of(pod["metadata"]["name"], name, ended.reason)
        ended = container_exit(pod, "worker")
        if ended is not None and ended.clean and (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
            raise RunnerEpisodeError("the worker ended before its outputs were fetched", error_type="platform_error")

    def _check_pending(self, pod: Document | None, waited: float, *, gone: bool) -> None:
        if pod is not None:
            for name in RUNNER_CONTAINERS:
                ended = container_exit(pod, name, deleted=gone)
                if ended is not None and ended.cause == "lost":
                    raise self._loss(ended.reason)
                if ended is not None and ended.cause == "refused":
                    message = f"{name} of the episode's Job {ended.reason}"
                    raise RunnerEpisodeError(message, error_type="platform_error")
        if waited > self._settings.start_seconds:
            reason = pending_reason(pod) if pod is not None else "its Job has created no pod"
            message = f"the cluster did not start the episode within {self._settings.start_seconds:g} s: {reason}"
            raise RunnerEpisodeError(message, error_type="platform_error")

    def _loss(self, reason: str) -> RunnerEpisodeError:
        """Return the failure of a pod that is gone: a Job past its deadline deletes its pod too."""
        job = self._cluster.get(JOBS, self._plan.name)
        for condition in ((job or {}).get("status") or {}).get("conditions") or ():
            if condition.get("reason") == "DeadlineExceeded":
                message = f"the episode's Job ran past its deadline of {self._plan.deadline_seconds} s"
                return RunnerEpisodeError(message, error_type="platform_error")
        return RunnerEpisodeError(f"the episode {reason}", error_type="node_disruption")

    def _raise_error_of(self, pod: str, container: str, reason: str) -> None:
        """Raise the failure of a runner container, with the failure that its log ends with."""
        log = b""
        with contextlib.suppress(EngineError):
            log = self._cluster.log(pod, container, lines=20, max_bytes=1 << 16)
        lines = [line for line in log.decode(errors="replace").splitlines() if line.strip()]
        for line in reversed(lines):
            with contextlib.suppress(ValueError):
                raise _failure_in(line.encode()).exception()
        tail = f"; its log ends: {lines[-1][:300]}" if lines else ""
        raise RunnerEpisodeError(f"{container} {reason}{tail}", error_type="worker_error")

    def _fetched_failure(self) -> EpisodeFailure | None:
        path = self._artifacts.error_info_path
        if not path.is_file():
            return None
        return _failure_in(path.read_bytes())

    def _results(self) -> dict[str, Any] | None:
        path = self._artifacts.results_path
        try:
            document = json.loads(path.read_bytes()) if path.is_file() else None
        except ValueError:
            return None
        return document if isinstance(document, dict) else None

    def _statuses(self) -> list[Any]:
        path = self._artifacts.player_status_path
        if not path.is_file():
            return []
        return list(PlayerRuntimeStatuses.model_validate_json(path.read_bytes()).players)

    def _delete(self) -> str:
        """Delete the Job and everything it owns; return why that failed, "" when it did not."""
        try:
            self._cluster.delete(JOBS, self._plan.name)
        except EngineError as error:
            return f"the Job {self._plan.name} could not be deleted and ends at its deadline: {error}"
        return ""


def _player_files(request: CoworldEpisodeJobSpec, options: EpisodeOptions) -> dict[int, bytes]:
    """Return the files of hosted players by slot."""
    slots = [slot for slot, player in enumerate(request.players) if isinstance(player, CoworldPlayerFileSpec)]
    sources = options.player_files or ()
    if len(slots) != len(sources):
        message = f"the request has {len(slots)} seats with player files, and {len(sources)} files were given"
        raise RunnerEpisodeError(message, error_type="player_file_unavailable")
    return {slot: player_file_bytes(source) for slot, source in zip(slots, sources, strict=True)}


def _failure_in(data: bytes) -> EpisodeFailure:
    """Read `error_info.json`; raises ValueError."""
    error = RunnerError.model_validate_json(data)
    return EpisodeFailure(error.error_type, error.message, error.failed_policy_index)


def _unpack(archive: Path, workspace: Path) -> None:
    """Unpack plain files with safe names; the worker is trusted, the way to it need not be."""
    with zipfile.ZipFile(archive) as files:
        for entry in files.infolist():
            name = PurePosixPath(entry.filename)
            if entry.is_dir() or name.is_absolute() or ".." in name.parts or len(name.parts) > 3:
                continue
            target = workspace / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with files.open(entry) as source, open(target, "wb") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
