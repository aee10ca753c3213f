"""The queue."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database.base import Base, Json, enum_type, new_id
from observatory.job_states import JobStatus

__all__ = ["Job", "JobFault", "PolicyLog"]

MAP_SEED = "map_seed"


class Job(Base):
    """An episode to be played, and what came of it."""

    __tablename__ = "jobs"
    __table_args__ = (
        Index(None, "status", "queue_group", "queue_person", "priority", "created_at", "id"),
        Index(None, "status", "id"),
        Index(None, "user_id"),
        Index(None, "completed_at"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    job_type: Mapped[str] = mapped_column(String(32), default="episode")
    stored_spec: Mapped[dict[str, Any]] = mapped_column("spec", Json)
    """`spec`, or all of it but the environment when that is one of `env_configs`; then with a `map_seed`"""
    env_config_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("env_configs.id"))
    """the environment, which a season's matches share: it is much larger than the rest of them"""
    status: Mapped[JobStatus] = mapped_column(enum_type(JobStatus), default=JobStatus.PENDING)
    priority: Mapped[int] = mapped_column(default=0)
    """greater comes first"""
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    """the user who requested it; None for the league itself"""
    queue_group: Mapped[str] = mapped_column(String(64), default="other")
    """the season, league or kind of job with which it shares the workers' time: `observatory.jobs.shares`"""
    queue_person: Mapped[str] = mapped_column(String(64), default="")
    """the user whose share of the time of the group it uses; empty if it is played for all"""

    attempts: Mapped[int] = mapped_column(default=0)
    """leases so far; the files of a lease lie in a folder of this number until it is finished"""
    lost_leases: Mapped[int] = mapped_column(default=0)
    """leases that ran out, or ended with a fault of the worker's machine"""
    traceparent: Mapped[str | None] = mapped_column(String(64))
    """the trace of the request that caused it; None without tracing"""
    worker: Mapped[str | None] = mapped_column(String(200))
    worker_token_id: Mapped[uuid.UUID | None]
    """the token with which the current or the last lease was taken; when it is revoked, the job returns"""
    job_token_hash: Mapped[str | None] = mapped_column(String(64))
    """of the current or the last lease"""
    lease_expires_at: Mapped[datetime | None]
    secrets_given_at: Mapped[datetime | None]
    """when the holder of the current lease took the policies' secrets"""

    result: Mapped[dict[str, Any] | None] = mapped_column(Json)
    error: Mapped[str | None] = mapped_column(Text)
    error_type: Mapped[str | None] = mapped_column(String(64))
    failed_policy_index: Mapped[int | None]
    episode_id: Mapped[uuid.UUID | None]
    runtime: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """what the worker's `runtime_info.json` said: isolation of each policy, timings, versions"""
    digests: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """sha256 of the files that count, by their names"""
    artifact_bytes: Mapped[int | None] = mapped_column(BigInteger)
    """size of its files in the store, without the logs of policies; None until they are measured"""
    replay_removed_at: Mapped[datetime | None]
    """when its replay and recorded actions were removed: they were old, or there was no room for them"""

    created_at: Mapped[datetime]
    dispatched_at: Mapped[datetime | None]
    running_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]

    env_config: Mapped[Any] = relationship("EnvConfig")
    faults: Mapped[list[JobFault]] = relationship(order_by="JobFault.created_at")

    @property
    def spec(self) -> dict[str, Any]:
        """Return the `SingleEpisodeJob`; its policies are `metta://policy/<policy version>`."""
        if self.env_config_id is None:
            return self.stored_spec
        spec = dict(self.stored_spec)
        map_seed = spec.pop(MAP_SEED, None)
        return {**spec, "env": with_map_seed(self.env_config.config, map_seed)}


class JobFault(Base):
    """A worker's machine failed while it had a job; another worker plays it, where there is one."""

    __tablename__ = "job_faults"

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    job_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("jobs.id"), index=True)
    worker: Mapped[str] = mapped_column(String(200), index=True)
    message: Mapped[str] = mapped_column(Text)
    """what the worker says about it; for operators, because it may name folders of the machine"""
    created_at: Mapped[datetime]


class PolicyLog(Base):
    """What a policy wrote in an episode: one file in the store for all its agents, which counts as its owner's."""

    __tablename__ = "policy_logs"
    __table_args__ = (Index(None, "policy_version_id", "bytes"),)

    job_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("jobs.id"), primary_key=True)
    policy_index: Mapped[int] = mapped_column(primary_key=True)
    policy_version_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("policy_versions.id"))
    key: Mapped[str] = mapped_column(String(300))
    """where the store has it"""
    bytes: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(index=True)


def with_map_seed(env: dict[str, Any], seed: int | None) -> dict[str, Any]:
    """Return a copy of the environment with this seed for its map, if its map is generated."""
    game = env.get("game", {})
    builder = game.get("map_builder", {})
    if seed is None or "seed" not in builder:
        return env
    return {**env, "game": {**game, "map_builder": {**builder, "seed": seed}}}
