"""Finish a job from the files of its lease."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from observatory.database.tables.jobs import Job
from observatory.documents import check_document
from observatory.job_states import EPISODE, HOSTED, JobStatus
from observatory.jobs.artifacts import artifact_sizes
from observatory.jobs.files import game_of, output_files
from observatory.jobs.leasing import attempt_name
from observatory.jobs.schemas import ErrorInfo, FinishRequest
from observatory.jobs.service import Ending
from observatory.secrecy import without_seeds
from observatory.store import Missing, Store, job_key

__all__ = ["collect", "digest", "is_played_episode"]

MAX_RESULT_BYTES = 64 << 20
MAX_RUNTIME_BYTES = 1 << 20


def collect(job: Job, request: FinishRequest, *, store: Store, now: datetime) -> Ending:
    """Move the files to their final keys and return how the job ended. This is idempotent.

    A worker's report alone is not enough for success: valid results and a replay must exist. A casual hosted game
    leaves no files.
    """
    if job.job_type == HOSTED and not is_played_episode(job):
        error = request.error_info if request.status == "failed" else None
        return Ending(JobStatus.COMPLETED if request.status == "completed" else JobStatus.FAILED, error=error)
    final = {file.name: job_key(job.id, file.name) for file in output_files(job)}
    for name, key in final.items():
        source = attempt_name(job, name)
        if store.size(source) is not None:
            store.move(source, key)
    if job.attempts > 1:
        for left in store.keys(f"jobs/{job.id}/"):
            if left.startswith(f"jobs/{job.id}/attempt-"):
                store.delete(left)  # of a lease that was lost
    result, problem = _result(job, store)
    is_episode = is_played_episode(job)
    if (
        request.status == "completed"
        and problem is None
        and is_episode
        and store.size(final[game_of(job).replay_file]) is None
    ):
        problem = "The worker sent no replay"
    if request.status == "completed" and problem is None:
        ending = Ending(JobStatus.COMPLETED, result)
    elif request.status == "completed":
        ending = Ending(JobStatus.FAILED, error=ErrorInfo(error_type="crash", message=problem or ""))
    else:
        error = request.error_info or ErrorInfo(error_type="unknown", message="The worker did not say why")
        ending = Ending(JobStatus.FAILED, result, error)
    if ending.error is not None:
        store.put(job_key(job.id, "error_info.json"), ending.error.model_dump_json().encode())
    # Files may be read by others and outlive a season: the seeds of a match are in the database only.
    # An environment that many matches share is stored by id, not repeated.
    spec = without_seeds(job.stored_spec) if job.stored_spec.get("policy_seed") is not None else job.stored_spec
    shared = {} if job.env_config_id is None else {"env_config_id": str(job.env_config_id)}
    store.put(job_key(job.id, "spec.json"), json.dumps(spec | shared).encode())
    ending = replace(ending, runtime=_runtime(job, store), digests=_digests(job, store))
    store.put(job_key(job.id, "logs.txt"), _log(job, ending, now).encode())
    return replace(ending, sizes=artifact_sizes(store, job))


def is_played_episode(job: Job) -> bool:
    """Return whether the results of a job are those of an episode; the game of a lobby is one."""
    return job.job_type == EPISODE or (job.job_type == HOSTED and "episode_request_id" in job.stored_spec)


def digest(store: Store, key: str) -> str | None:
    """Return the SHA-256 of a file; None if it does not exist."""
    hasher = hashlib.sha256()
    try:
        for piece in store.stream(key):
            hasher.update(piece)
    except Missing:
        return None
    return hasher.hexdigest()


def _digests(job: Job, store: Store) -> dict[str, str]:
    names = [file.name for file in output_files(job) if file.is_digested]
    values = {name: digest(store, job_key(job.id, name)) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _runtime(job: Job, store: Store) -> dict[str, Any] | None:
    """Return the runtime information of the worker; None if it is missing or malformed."""
    key = job_key(job.id, "runtime_info.json")
    if (store.size(key) or 0) > MAX_RUNTIME_BYTES:
        return None
    try:
        return game_of(job).read_runtime(store.get(key))
    except (Missing, ValueError):
        return None


def _result(job: Job, store: Store) -> tuple[dict[str, Any] | None, str | None]:
    """Return (the results, None), or (None, the problem)."""
    key = job_key(job.id, "results.json")
    if (store.size(key) or 0) > MAX_RESULT_BYTES:
        return None, f"The results are larger than {MAX_RESULT_BYTES >> 20} MB"
    try:
        data = store.get(key)
        if not is_played_episode(job):
            return _document(data), None
        result = game_of(job).read_result(data)
    except Missing:
        return None, "The worker sent no results"
    except ValueError:
        return None, "The results cannot be read"
    lists: Sequence[Sequence[object]] = (result["rewards"], result["action_timeouts"], result["stats"]["agent"])
    if any(len(values) != len(job.spec["assignments"]) for values in lists):
        return None, "The results are of another number of agents"
    return result, None


def _document(data: bytes) -> dict[str, Any]:
    """Return the results of a job that is not an episode: an object that can be stored; `ValueError` otherwise."""
    try:
        document = json.loads(data)
    except RecursionError:
        document = None
    if not isinstance(document, dict):
        raise ValueError("not an object")
    return check_document(document)


def _log(job: Job, ending: Ending, now: datetime) -> str:
    """Return the log of a job for the owners of its policies."""
    lines = [f"{job.created_at:%Y-%m-%d %H:%M:%S} queued"]
    if job.lost_leases:
        lines.append(f"workers lost: {job.lost_leases}")
    if job.dispatched_at is not None:
        lines.append(f"{job.dispatched_at:%Y-%m-%d %H:%M:%S} leased, attempt {job.attempts}")
    if job.running_at is not None:
        lines.append(f"{job.running_at:%Y-%m-%d %H:%M:%S} running")
    lines.append(f"{now:%Y-%m-%d %H:%M:%S} {ending.status.value}")
    if ending.result is not None and is_played_episode(job):
        lines.append(f"steps: {ending.result['steps']}")
    for policy in (ending.runtime or {}).get("policies", []):
        times = policy["actions"]
        answers = "" if times is None else f", {times['count']} answers of {times['mean']:.1f} ms"
        lines.append(f"{policy['name']}: isolation {policy['isolation'] or 'none'}{answers}")
    if ending.error is not None:
        lines.append(f"{ending.error.error_type}: {ending.error.message}")
    return "\n".join(lines) + "\n"
