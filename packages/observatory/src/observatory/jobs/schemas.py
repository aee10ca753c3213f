"""Request and response schemas of jobs."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from observatory.documents import Document
from observatory.job_states import EPISODE, JobStatus, Lane
from observatory.jobs.labels import MAX_LABELS, WorkerLabel
from observatory.wire import Body

__all__ = [
    "ErrorInfo",
    "FinishRequest",
    "FinishResponse",
    "Heartbeat",
    "HeartbeatResponse",
    "JobCreate",
    "JobResponse",
    "JobUpdate",
    "Lease",
    "LeaseRequest",
    "LeasedPolicy",
    "PolicySecrets",
    "QueueLength",
    "RegistryLogin",
    "ReleaseRequest",
    "WaitingJobs",
]


MAX_UNPACKED = 100


class LeaseRequest(Body):
    """A worker's request for a job."""

    worker: str = Field(min_length=1, max_length=200, description="name of the worker, for people")
    wait_seconds: float = Field(default=0, ge=0, le=20, description="how long to wait for a job before answering 204")
    labels: list[WorkerLabel] = Field(
        default=[], max_length=MAX_LABELS, description="of the worker's machine; seasons and leagues may require some"
    )
    cpus: int | None = Field(default=None, ge=1, le=100_000, description="that the worker may use")
    gpus: int | None = Field(default=None, ge=0, le=10_000, description="that the worker may use")
    memory_mb: int | None = Field(default=None, ge=1, le=1 << 30, description="of the worker's machine")
    unpacked: list[uuid.UUID] = Field(
        default=[], max_length=MAX_UNPACKED, description="policy versions whose bundles the worker has"
    )
    unable: str | None = Field(
        default=None, max_length=500, description="why the worker takes no job now, such as a full disk"
    )
    lane: Lane = Field(
        default=EPISODE,
        description="which jobs: commissioners and hosted games mostly wait, and take no episode's place",
    )


class WaitingJobs(BaseModel):
    """Jobs that require the same labels."""

    lane: Lane
    labels: list[str] = Field(description="that a worker must have")
    waiting: int
    in_work: int


class QueueLength(BaseModel):
    """How much work there is, for programs that start and stop workers."""

    waiting: int = Field(description="jobs that a worker with the given labels may play")
    in_work: int = Field(description="jobs of that kind that workers have")
    workers: int = Field(description="workers seen in the last minute")
    parts: list[WaitingJobs] = Field(description="all jobs, by lane and required labels")


class LeasedPolicy(BaseModel):
    """One policy of a leased job."""

    name: str
    version_id: uuid.UUID | None = Field(default=None, description="None for a policy of the installation")
    bundle_url: str | None = Field(
        description="where its bundle is; None for a policy that is part of the installation"
    )
    policy: str | None = Field(description="name of an installed policy")
    egress: list[str] = Field(description="hosts it may speak to")
    package_index: bool = Field(default=False, description="whether its setup script may install packages")
    has_secrets: bool
    image: str | None = Field(default=None, description="reference of the container image of a policy that has one")
    program: dict[str, Any] = Field(default={}, description="of an image: `run`, `resources` and `startup`")


class RegistryLogin(BaseModel):
    """Credentials for the images of one job; any user name works."""

    host: str
    password: str = Field(repr=False)
    insecure: bool = Field(description="whether the registry speaks plain HTTP")


class Lease(BaseModel):
    """A job, and all that is needed to play it."""

    job_id: uuid.UUID
    job_token: str = Field(description="proves, for this job and this lease alone, who holds it")
    attempt: int
    lease_seconds: float = Field(description="how long the lease lasts after each heartbeat")
    time_limit_seconds: float
    spec: dict[str, Any]
    policies: list[LeasedPolicy]
    registry: RegistryLogin | None = Field(default=None, description="for container images of this server")
    outputs: dict[str, str] = Field(description="name of each file that may be sent: the address to PUT it to")
    files: dict[str, str] = Field(default={}, description="path of each further file: the address to GET it from")
    live: bool = Field(default=False, description="whether people may watch it while it is played")
    hides_secrets: bool = Field(default=False, description="whether they must not learn secrets of the game, as roles")
    traceparent: str | None = Field(default=None, max_length=64, description="the trace to which its spans belong")


class Heartbeat(Body):
    """A worker is alive."""

    status: Literal["dispatched", "running"] = "running"


class HeartbeatResponse(BaseModel):
    lease_expires_at: datetime


class PolicySecrets(BaseModel):
    """Secrets by position of the policy."""

    policies: dict[int, dict[str, str]]


class ErrorInfo(BaseModel):
    """Why an episode has no result, and the policy at fault, if any."""

    model_config = ConfigDict(extra="ignore")

    error_type: str = Field(pattern="^[a-z][a-z_]{0,63}$", description="a word of the game, such as `policy_error`")
    message: str = Field(max_length=20_000)
    failed_policy_index: int | None = Field(default=None, ge=0)
    failed_policy_uri: str | None = Field(default=None, max_length=2000)
    failed_policy_name: str | None = Field(default=None, max_length=2000)


class ReleaseRequest(Body):
    """A worker gives a job back: because it has to leave, or because its machine failed."""

    fault: str | None = Field(default=None, max_length=2000, description="what went wrong on the worker's machine")
    error_type: str | None = Field(
        default=None, pattern="^[a-z][a-z_]{0,63}$", description="the game's word for it, if the game reported it"
    )


class FinishRequest(Body):
    """How a job ended. Files must have been sent before."""

    status: Literal["completed", "failed"]
    error_info: ErrorInfo | None = None


class FinishResponse(BaseModel):
    job_id: uuid.UUID
    status: JobStatus
    episode_id: uuid.UUID | None


class JobCreate(Body):
    """An episode to be played."""

    job_type: Literal["episode"] = "episode"
    job: Document


class JobUpdate(Body):
    """A state an operator gives a job by hand."""

    status: JobStatus | None = None
    error: str | None = Field(default=None, max_length=20_000)


class JobResponse(BaseModel):
    """A job as its creator and administrators see it; without seeds while the season it belongs to plays."""

    model_config = ConfigDict(from_attributes=True)

    id: uuid.UUID
    job_type: str
    job: dict[str, Any] = Field(validation_alias="spec")
    status: JobStatus
    user_id: str | None
    worker: str | None
    attempts: int
    result: dict[str, Any] | None
    error: str | None
    error_type: str | None
    episode_id: uuid.UUID | None
    runtime: dict[str, Any] | None
    digests: dict[str, str] | None
    created_at: datetime
    dispatched_at: datetime | None
    running_at: datetime | None
    completed_at: datetime | None
