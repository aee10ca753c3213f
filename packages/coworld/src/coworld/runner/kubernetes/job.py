"""The Job of one episode: init containers, the game, the worker beside it."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from coworld.engines.kubernetes.cluster import Document
from coworld.engines.kubernetes.player_pods import (
    ARTIFACT_PORT,
    GAME_PORT,
    HEALTH_PORT,
    MANAGED_BY,
    command,
    pull_policy,
    restricted,
)
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.runner.kubernetes.episode import game_environment
from coworld.runner.kubernetes.settings import SPEC_DIR

WORKDIR, REQUEST_DIR, OUTPUT_DIR = "/coworld", "/var/run/coworld-request", "/var/run/coworld-outputs"
SERVICE_ACCOUNT_DIR = "/var/run/secrets/kubernetes.io/serviceaccount"
RUNNER = ["python", "-m", "coworld.runner.kubernetes_runner"]
START_SECONDS, CLEANUP_SECONDS = 900, 300
"""allowances of the Job's deadline above the episode's own time: to pull images, and to publish and fetch files"""
FINISHED_SECONDS = 300
"""a finished Job is deleted after this time, with everything it owns"""


@dataclass(frozen=True, kw_only=True)
class JobPlan:
    """One Job to create."""

    name: str
    job_id: str
    namespace: str
    request: CoworldEpisodeJobSpec
    runner_image: str
    spec_uri: str = f"file://{REQUEST_DIR}/job_spec.json"
    secret: str | None = None
    """the Secret with the request, mounted for the init containers and the worker"""
    timeout_seconds: float = 3600.0
    hold_seconds: float = 120.0
    """how long the worker keeps its outputs for the client that fetches them"""
    service_account: str = "episode-runner"
    variables: Mapping[str, str] = field(default_factory=dict)
    """further variables of the worker, such as output URIs"""

    @property
    def deadline_seconds(self) -> int:
        return int(self.timeout_seconds + self.hold_seconds) + START_SECONDS + CLEANUP_SECONDS


def episode_job(plan: JobPlan) -> Document:
    """Return the Job: it runs once, ends at a deadline, and is deleted some minutes after its end."""
    labels = {**MANAGED_BY, "job-id": plan.job_id, "coworld-component": "game"}
    hosted = plan.request.manifest.game.player_runtime == "game-hosted"
    launch = [] if hosted else [_runner(plan, "launch-players", "launch-players", api=True)]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": plan.name, "labels": {**MANAGED_BY, "job-id": plan.job_id}},
        "spec": {
            "backoffLimit": 0,
            "completions": 1,
            "parallelism": 1,
            "activeDeadlineSeconds": plan.deadline_seconds,
            "ttlSecondsAfterFinished": FINISHED_SECONDS,
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "restartPolicy": "Never",
                    "serviceAccountName": plan.service_account,
                    # Only the worker gets the service account's token; see `_token_volume`.
                    "automountServiceAccountToken": False,
                    "enableServiceLinks": False,
                    "terminationGracePeriodSeconds": 30,
                    "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
                    "initContainers": [_runner(plan, "coworld-init-config", "init-config"), *launch],
                    "containers": [_game(plan), _runner(plan, "worker", "run", api=True)],
                    "volumes": _volumes(plan),
                },
            },
        },
    }


def request_secret(plan: JobPlan, contents: Mapping[str, bytes], owner: Document) -> Document:
    """Return the Secret with the request and the secrets of players; it is deleted with its Job."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": plan.secret,
            "labels": {**MANAGED_BY, "job-id": plan.job_id},
            "ownerReferences": [owner],
        },
        "type": "Opaque",
        "data": {name: base64.b64encode(data).decode() for name, data in contents.items()},
    }


def _game(plan: JobPlan) -> Document:
    runnable = plan.request.manifest.game.runnable
    return {
        "name": "game",
        "image": runnable.image,
        "imagePullPolicy": pull_policy(runnable.image),
        **command(runnable.run),
        "env": _env(game_environment(plan.request, plan.job_id)),
        "ports": [{"name": "game", "containerPort": GAME_PORT}],
        "readinessProbe": {"httpGet": {"path": "/healthz", "port": GAME_PORT}, "periodSeconds": 2},
        # The worker holds its port as long as it runs: a game that outlives its worker is ended.
        "livenessProbe": {
            "tcpSocket": {"port": HEALTH_PORT},
            "initialDelaySeconds": 60,
            "periodSeconds": 10,
            "failureThreshold": 3,
        },
        "resources": _game_resources(plan.request),
        "securityContext": restricted(),
        "volumeMounts": [{"name": "coworld-workdir", "mountPath": WORKDIR}],
    }


def _game_resources(request: CoworldEpisodeJobSpec) -> Document:
    resources = request.manifest.game.runnable.resources
    asked, bounds = (resources.requests, resources.limits) if resources else (None, None)
    limits = {name: value for name in ("cpu", "memory") if (value := getattr(bounds, name, None))}
    requests = {
        "cpu": (asked.cpu if asked else None) or limits.get("cpu", "1"),
        "memory": (asked.memory if asked else None) or limits.get("memory", "512Mi"),
    }
    if asked and asked.ephemeral_storage:
        requests["ephemeral-storage"] = asked.ephemeral_storage
    if asked and asked.gpu:
        requests["nvidia.com/gpu"] = limits["nvidia.com/gpu"] = str(asked.gpu)
    return {"requests": requests, **({"limits": limits} if limits else {})}


def _runner(plan: JobPlan, name: str, program: str, *, api: bool = False) -> Document:
    """Return a container of the runner's image; `api` for those that call the cluster."""
    mounts: list[Document] = [
        {"name": "coworld-workdir", "mountPath": WORKDIR},
        {"name": "coordinator-spec", "mountPath": SPEC_DIR},
    ]
    if plan.secret is not None:
        mounts.append({"name": "request", "mountPath": REQUEST_DIR, "readOnly": True})
    if api:
        mounts.append({"name": "api-token", "mountPath": SERVICE_ACCOUNT_DIR, "readOnly": True})
    if name == "worker":
        mounts.append({"name": "outputs", "mountPath": OUTPUT_DIR})
    container: Document = {
        "name": name,
        "image": plan.runner_image,
        "imagePullPolicy": pull_policy(plan.runner_image),
        "command": [*RUNNER, program],
        "env": _runner_env(plan),
        "resources": {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "4Gi"}},
        "securityContext": restricted(),
        "volumeMounts": mounts,
    }
    if name == "worker":
        # A game may run as any user and write files that only this user can read.
        container["securityContext"] |= {"runAsUser": 0}
        container["securityContext"]["capabilities"] = {"drop": ["ALL"], "add": ["DAC_OVERRIDE"]}
        container["ports"] = [
            {"name": "worker", "containerPort": HEALTH_PORT},
            {"name": "artifacts", "containerPort": ARTIFACT_PORT},
        ]
    return container


def _runner_env(plan: JobPlan) -> list[Document]:
    fields = {"POD_NAME": "metadata.name", "POD_UID": "metadata.uid", "POD_IP": "status.podIP"}
    values = {
        "JOB_SPEC_URI": plan.spec_uri,
        "COWORLD_WORKDIR": WORKDIR,
        "COWORLD_SPEC_DIR": SPEC_DIR,
        "COWORLD_OUTPUT_DIR": OUTPUT_DIR,
        "JOB_ID": plan.job_id,
        "JOB_NAME": plan.name,
        "JOB_NAMESPACE": plan.namespace,
        "COWORLD_SERVICE_NAME": plan.name,
        "COWORLD_CHILD_POD_LIFETIME_SECONDS": str(plan.deadline_seconds),
        "COWORLD_TIMEOUT_SECONDS": f"{plan.timeout_seconds:g}",
        "COWORLD_OUTPUT_HOLD_SECONDS": f"{plan.hold_seconds:g}",
        "COWORLD_PLAYER_CPU_REQUEST": "250m",
        "COWORLD_PLAYER_MEMORY_REQUEST": "256Mi",
        **plan.variables,
    }
    from_pod: list[Document] = [
        {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in fields.items()
    ]
    if plan.secret is not None:
        reference = {"name": plan.secret, "key": "output_token"}
        from_pod.append({"name": "COWORLD_OUTPUT_TOKEN", "valueFrom": {"secretKeyRef": reference}})
    return [*from_pod, *_env(values)]


def _volumes(plan: JobPlan) -> list[Document]:
    volumes: list[Document] = [
        {"name": "coworld-workdir", "emptyDir": {"sizeLimit": "32Gi"}},
        {"name": "outputs", "emptyDir": {"sizeLimit": "32Gi"}},
        {"name": "coordinator-spec", "emptyDir": {"medium": "Memory", "sizeLimit": "128Mi"}},
        _token_volume(),
    ]
    if plan.secret is not None:
        volumes.append({"name": "request", "secret": {"secretName": plan.secret, "defaultMode": 0o444}})
    return volumes


def _token_volume() -> Document:
    """Return the service account's token as a volume that only some containers mount; the game does not."""
    sources: list[dict[str, Any]] = [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
    ]
    return {"name": "api-token", "projected": {"sources": sources}}


def _env(values: Mapping[str, str]) -> list[Document]:
    return [{"name": name, "value": value} for name, value in values.items()]
