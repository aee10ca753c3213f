"""Prometheus metrics of one server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

__all__ = ["Metrics"]

_REQUEST_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)
_EPISODE_SECONDS = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 10800)


class Metrics:
    """Every number `/metrics` shows, in a registry of its own so that two servers in one process do not mix."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Histogram(
            "observatory_http_request_seconds",
            "Time to answer a request",
            ["method", "route", "status"],
            buckets=_REQUEST_SECONDS,
            registry=registry,
        )
        self.rate_limited = Counter("observatory_rate_limited", "Requests refused with 429", ["by"], registry=registry)
        self.sign_ins = Counter("observatory_sign_ins", "Attempts to sign in", ["outcome"], registry=registry)
        self.jobs = Gauge("observatory_jobs", "Jobs that wait or are in work, by state", ["status"], registry=registry)
        self.oldest_pending = Gauge(
            "observatory_jobs_oldest_pending_seconds",
            "Age of the oldest job that waits for a worker",
            registry=registry,
        )
        self.dispatch_wait = Histogram(
            "observatory_job_wait_seconds",
            "Time a job waited for a worker",
            buckets=_EPISODE_SECONDS,
            registry=registry,
        )
        self.job_duration = Histogram(
            "observatory_job_seconds",
            "Time from lease to end of a job",
            ["status"],
            buckets=_EPISODE_SECONDS,
            registry=registry,
        )
        self.job_failures = Counter(
            "observatory_job_failures", "Jobs that failed, by type of error", ["error_type"], registry=registry
        )
        self.leases_lost = Counter(
            "observatory_leases_lost", "Leases that expired without a heartbeat", registry=registry
        )
        self.workers = Gauge("observatory_workers", "Workers seen in the last minute", registry=registry)
        self.workers_taking_jobs = Gauge(
            "observatory_workers_taking_jobs",
            "Workers seen in the last minute that are neither drained nor unable",
            registry=registry,
        )
        self.queue = Gauge(
            "observatory_queue_jobs",
            "Jobs that wait or are in work, by lane and by the labels that they require of a worker",
            ["lane", "labels", "state"],
            registry=registry,
        )
        self.store_bytes = Gauge(
            "observatory_store_bytes", "Bytes of bundles, logs of policies and files of episodes", registry=registry
        )
        self.store_free_bytes = Gauge(
            "observatory_store_free_bytes", "Free bytes on the disk of the store; +Inf for S3", registry=registry
        )
        self.database_bytes = Gauge("observatory_database_bytes", "Size of the database", registry=registry)
        self.database_connections = Gauge(
            "observatory_database_connections", "Connections to the database in use", registry=registry
        )
        self.sweeps_failed = Counter(
            "observatory_sweeps_failed", "Hourly removals of old files that failed", registry=registry
        )
        ProcessCollector(registry=registry)  # processor time, memory and open files of the server

    def set_queue(self, numbers: Mapping[Any, tuple[int, int]]) -> None:
        """Set the numbers of (waiting jobs, jobs in work), by lane and labels; a lane without jobs has zeros."""
        self.queue.clear()
        all_numbers: dict[tuple[str, tuple[str, ...]], tuple[int, int]] = {}
        for lane in ("episode", "commissioner", "hosted"):
            all_numbers[lane, ()] = (0, 0)
        all_numbers.update(numbers)
        for (lane, labels), (waiting, in_work) in all_numbers.items():
            for state, number in (("waiting", waiting), ("in_work", in_work)):
                self.queue.labels(lane, ",".join(labels), state).set(number)

    def text(self) -> bytes:
        """In the format Prometheus reads."""
        return generate_latest(self.registry)
