"""The environment variables of the containers of an episode's Job."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from coworld.engines.kubernetes.cluster import Document
from coworld.engines.kubernetes.resources import PlayerDefaults
from coworld.runner.failures import RunnerEpisodeError

OUTPUTS = (
    "RESULTS_URI",
    "REPLAY_URI",
    "EVENTS_URI",
    "TRAJECTORY_URI",
    "DEBUG_URI",
    "ERROR_INFO_URI",
    "PLAYER_STATUS_URI",
    "WORKER_TIMINGS_URI",
    "FINAL_LOGS_URI",
)
SLOT_OUTPUTS = ("POLICY_LOG_URLS", "PLAYER_ARTIFACT_UPLOAD_URLS", "PLAYER_EPISODE_ANNOTATIONS_URLS")
SPEC_DIR = "/var/run/coworld-coordinator"


@dataclass(frozen=True)
class Outputs:
    """Where the worker writes the files of the episode; absent ones are not written."""

    uris: Mapping[str, str] = field(default_factory=dict)
    by_slot: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "Outputs":
        by_slot = {name: uris_by_slot(environ, name) for name in SLOT_OUTPUTS if environ.get(name)}
        return cls({name: environ[name] for name in OUTPUTS if environ.get(name)}, by_slot)


@dataclass(frozen=True, kw_only=True)
class InitSettings:
    """The variables of the init container."""

    spec_uri: str
    workdir: Path
    spec_dir: Path
    """the folder that the game does not see"""
    player_files: Mapping[int, str]
    """for games that host their players: URI of the file by slot"""

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "InitSettings":
        return cls(
            spec_uri=required(environ, "JOB_SPEC_URI"),
            workdir=Path(environ.get("COWORLD_WORKDIR") or "/coworld"),
            spec_dir=Path(environ.get("COWORLD_SPEC_DIR") or SPEC_DIR),
            player_files=uris_by_slot(environ, "PLAYER_FILE_URLS") if environ.get("PLAYER_FILE_URLS") else {},
        )


@dataclass(frozen=True, kw_only=True)
class WorkerSettings:
    """The variables of the worker, and of the init container that creates the players' pods."""

    init: InitSettings
    job_id: str
    job_name: str
    namespace: str
    service: str
    pod_name: str
    pod_uid: str
    pod_ip: str
    child_lifetime_seconds: int
    timeout_seconds: float
    workload_type: str | None
    capacity_type: str | None
    defaults: PlayerDefaults
    policy_secrets_uri: str | None
    outputs: Outputs
    health_port: int
    output_dir: Path | None
    """folder of the worker for collected files; a temporary one when it is None"""
    output_token: str | None
    """with it, a client may fetch all outputs from the artifact port"""
    hold_seconds: float
    """how long the worker waits for that client"""
    outage_seconds: float

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "WorkerSettings":
        """Read them; raises RunnerEpisodeError (`config_error`) for a missing or wrong one."""
        output_dir = environ.get("COWORLD_OUTPUT_DIR")
        return cls(
            init=InitSettings.of(environ),
            job_id=required(environ, "JOB_ID"),
            job_name=required(environ, "JOB_NAME"),
            namespace=required(environ, "JOB_NAMESPACE"),
            service=required(environ, "COWORLD_SERVICE_NAME"),
            pod_name=required(environ, "POD_NAME"),
            pod_uid=required(environ, "POD_UID"),
            pod_ip=environ.get("POD_IP") or "127.0.0.1",
            child_lifetime_seconds=int(number(environ, "COWORLD_CHILD_POD_LIFETIME_SECONDS")),
            timeout_seconds=number(environ, "COWORLD_TIMEOUT_SECONDS", 3600.0),
            workload_type=environ.get("COWORLD_WORKLOAD_TYPE") or None,
            capacity_type=environ.get("COWORLD_CAPACITY_TYPE") or None,
            defaults=PlayerDefaults(
                environ.get("COWORLD_PLAYER_CPU_REQUEST") or "2",
                environ.get("COWORLD_PLAYER_MEMORY_REQUEST") or "2Gi",
                environ.get("COWORLD_PLAYER_CPU_LIMIT") or None,
            ),
            policy_secrets_uri=environ.get("POLICY_SECRETS_URI") or None,
            outputs=Outputs.of(environ),
            health_port=int(number(environ, "COWORLD_WORKER_HEALTH_PORT", 9090.0)),
            output_dir=Path(output_dir) if output_dir else None,
            output_token=environ.get("COWORLD_OUTPUT_TOKEN") or None,
            hold_seconds=number(environ, "COWORLD_OUTPUT_HOLD_SECONDS", 120.0),
            outage_seconds=number(environ, "COWORLD_API_OUTAGE_SECONDS", 120.0),
        )

    @property
    def owner(self) -> Document:
        """Return the owner reference of everything that the worker creates."""
        return {"apiVersion": "v1", "kind": "Pod", "name": self.pod_name, "uid": self.pod_uid}

    @property
    def node_selector(self) -> dict[str, str]:
        if self.workload_type is None:
            return {}
        capacity = {"karpenter.sh/capacity-type": self.capacity_type} if self.capacity_type else {}
        return {"workload-type": self.workload_type, **capacity}

    @property
    def tolerations(self) -> list[Document]:
        if self.workload_type is None:
            return []
        taint = {"key": "workload-type", "operator": "Equal", "value": self.workload_type, "effect": "NoSchedule"}
        return [taint]


def required(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name)
    if not value:
        raise RunnerEpisodeError(
            f"{name} is not set: the Job of an episode must set it (docs/guides/kubernetes.md)",
            error_type="config_error",
        )
    return value


def number(environ: Mapping[str, str], name: str, default: float | None = None) -> float:
    text = environ.get(name) or (None if default is None else str(default))
    if text is None:
        text = required(environ, name)
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e9:
        raise RunnerEpisodeError(f"{name} must be a positive number, not {text!r}", error_type="config_error")
    return value


def uris_by_slot(environ: Mapping[str, str], name: str) -> dict[int, str]:
    """Return a variable that is a JSON object of slots and URIs."""
    try:
        document = json.loads(required(environ, name))
        return {int(slot): str(uri) for slot, uri in document.items()}
    except (ValueError, AttributeError):
        message = f'{name} must be a JSON object of slots and URIs, such as {{"0": "https://..."}}'
        raise RunnerEpisodeError(message, error_type="config_error") from None
