"""One episode in a process of its own: from a lease and files to results and files."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from mettagrid.base_config import LENIENT_CONTEXT
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.runner.boxed import BoxedPolicy, BoxPolicyOptions, FailedPolicy, material_from_uri
from mettagrid.runner.episode import EpisodePlan, PolicySource, play_episode
from mettagrid.runner.episode_subprocess import failed_policy, runner_error
from mettagrid.runner.types import RunnerError, SingleEpisodeJob

__all__ = ["ERROR_INFO", "REPLAY", "RESULTS", "PolicyToPlay", "agent_log", "play", "play_in_child"]

RESULTS, REPLAY, ERROR_INFO = "results.json", "replay.json.z", "error_info.json"
MAX_LOG_BYTES = 100 << 20
# Shorter values are words that stand in any log, such as `true`.
_SHORTEST_SECRET = 6


@dataclass(frozen=True)
class PolicyToPlay:
    """A policy of the episode: an address on this machine, and what its process alone is given."""

    name: str
    uri: str
    egress: Sequence[str] = ()
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)


def agent_log(agent: int) -> str:
    return f"policy_agent_{agent}.txt"


def play_in_child(
    parent: Connection, folder: Path, spec: dict[str, Any], policies: Sequence[PolicyToPlay], minimum: str
) -> None:
    """Entry of the child: end when the worker has ended, whatever way, and play."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    play(folder, spec, policies, minimum=minimum)


def _end_with(parent: Connection) -> None:
    try:
        parent.recv()
    except (EOFError, OSError):
        os._exit(1)


def play(folder: Path, spec: dict[str, Any], policies: Sequence[PolicyToPlay], *, minimum: str = "landlock") -> None:
    """Play the episode and leave its files in the folder.

    There are results and a replay unless the episode could not be played, an `error_info.json` when it could not or
    when a policy did not play to the end, and a log for each agent. `minimum` is the weakest isolation to accept.
    """
    error: RunnerError | None
    try:
        error = _play(folder, spec, policies, minimum)
    except ValueError as problem:  # also a spec that is no job, and seats that do not fit
        error = runner_error("config_error", problem)
    except Exception as problem:
        error = runner_error("crash", problem)
    if error is not None:
        values = [value for policy in policies for value in policy.secrets.values()]
        message = scrubbed(error.message.encode(), values).decode()
        (folder / ERROR_INFO).write_text(error.model_copy(update={"message": message}).model_dump_json())


def _play(folder: Path, spec: dict[str, Any], policies: Sequence[PolicyToPlay], minimum: str) -> RunnerError | None:
    job = SingleEpisodeJob.model_validate(spec, context=LENIENT_CONTEXT)
    if not isinstance(job.env, MettaGridConfig):
        raise ValueError(f"This worker plays games of mettagrid, not of {job.env.game_engine!r}")
    logs = [folder / f"policy-{index}.log" for index in range(len(policies))]
    seated = set(job.assignments)
    plan = EpisodePlan(
        job.env,
        [
            _source(policy, log, minimum) if index in seated else FailedPolicy(policy.name, "has no seat")
            for index, (policy, log) in enumerate(zip(policies, logs, strict=True))
        ],
        job.assignments,
        seed=job.seed,
        policy_names=[policy.name for policy in policies],
        max_action_time_ms=job.max_action_time_ms,
        overage_budget_ms=job.overage_budget_ms,
        replay_path=folder / REPLAY,
        load_failure="verdict",
    )
    try:
        outcome = play_episode(plan)
    finally:
        for agent, index in enumerate(job.assignments):
            content = scrubbed(_tail(logs[index]), policies[index].secrets.values())
            (folder / agent_log(agent)).write_bytes(content)
    (folder / RESULTS).write_text(outcome.pure_result().model_dump_json())
    return failed_policy(outcome, job.policy_uris)


def _source(policy: PolicyToPlay, log: Path, minimum: str) -> PolicySource:
    """The policy in a box; one that cannot be read is out, and the others play."""
    try:
        material = material_from_uri(policy.uri)
    except Exception as problem:
        return FailedPolicy(policy.name, str(problem))
    options = BoxPolicyOptions(minimum=minimum, env=policy.secrets, egress=policy.egress, log_path=str(log))
    return BoxedPolicy(replace(material, name=policy.name), options)


def _tail(log: Path) -> bytes:
    """The end of a policy's log."""
    if not log.exists():
        return b""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - MAX_LOG_BYTES))
        return file.read()


def scrubbed(content: bytes, secrets: Iterable[str]) -> bytes:
    """The content without the values of secrets, should the policy have printed them."""
    for value in sorted(secrets, key=len, reverse=True):
        if len(value) >= _SHORTEST_SECRET:
            content = content.replace(value.encode(), b"[secret]")
    return content
