"""Play one episode of the league, from a job and local bundles to files in a folder.

The server's workers and `cogames reproduce` both call `play_job`, so that the same job writes the same bytes:

| file | content | deterministic |
|---|---|---|
| `results.json` | rewards and stats, a `PureSingleEpisodeResult` | yes |
| `replay.json.z` | the episode, tick by tick | yes |
| `actions.json.z` | the policies' actions, see `episode.recorded` | yes |
| `scenes.z` | what spectators of a BitWorld game see, for its viewer | |
| `history.json` | the events and rewards of a BitWorld game, for its explanation | yes |
| `error_info.json` | why it could not be played, or which policy did not play to the end: a `RunnerError` | |
| `runtime_info.json` | timings, isolation, versions: a `JobRuntime` | no |
| `policy_agent_<i>.txt` | the output of a policy; `<i>` is its first agent | |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from mettagrid.base_config import LENIENT_CONTEXT
from mettagrid.runner.boxed.logs import Hidden
from mettagrid.runner.boxed.material import material_from_uri
from mettagrid.runner.boxed.policy import BoxedPolicy, BoxPolicyOptions, FailedPolicy
from mettagrid.runner.boxed.setup import SETUP_SECONDS
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, PolicySource, PolicyTimings, play_episode
from mettagrid.runner.episode.errors import MachineFault
from mettagrid.runner.episode.faults import is_machine_fault
from mettagrid.runner.episode_subprocess import failed_policy, runner_error
from mettagrid.runner.types import RunnerError, RuntimeInfo, SingleEpisodeJob

if TYPE_CHECKING:
    from mettagrid.live import LiveDoor
    from mettagrid.replay import Replay

__all__ = [
    "ACTIONS",
    "ERROR_INFO",
    "HISTORY",
    "REPLAY",
    "RESULTS",
    "RUNTIME_INFO",
    "SCENES",
    "ActionTimes",
    "JobRuntime",
    "PolicyRuntime",
    "PolicyToPlay",
    "installed_versions",
    "log_name",
    "play_job",
]

RESULTS, REPLAY, ERROR_INFO = "results.json", "replay.json.z", "error_info.json"
RUNTIME_INFO, ACTIONS = "runtime_info.json", "actions.json.z"
SCENES, HISTORY = "scenes.z", "history.json"
# Parts of the time limit. A policy that exceeds its own part is at fault; the engine has the rest, so that an episode
# that exceeds the whole limit is the machine's failure.
_ANSWERS_PART = 0.7
_SETUP_PART = 0.1
_LOAD_PART = 0.1
_DISTRIBUTIONS = ("mettagrid", "cogsguard", "cogames", "cogbox", "observatory", "bitworld", "numpy", "torch")
"""distributions that an episode depends on, beside those that register policies"""


@dataclass(frozen=True)
class PolicyToPlay:
    """A policy of the episode: a local address, and the settings of its process.

    With a `source` the policy is played from that instead: it has no local bundle.
    """

    name: str
    uri: str
    egress: Sequence[str] = ()
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    source: PolicySource | None = None
    may_use_index: bool = True
    """whether its setup script may use the package index of this machine"""


class ActionTimes(BaseModel):
    """How long a policy took to answer, in milliseconds."""

    count: int
    mean: float
    p50: float
    p95: float
    max: float


class PolicyRuntime(BaseModel):
    """One policy: its isolation level, its start time, and its answer times, if it answered."""

    name: str
    isolation: str | None
    start_ms: float
    actions: ActionTimes | None
    status: str = "ok"
    """of its verdict, see `episode.outcome.Verdict`"""
    failed_step: int | None = None
    """at which it was disabled; None if it played to the end, or never started"""
    missed_deadlines: int = 0


class JobRuntime(RuntimeInfo):
    """The properties of this run only: `runtime_info.json`."""

    wall_ms: float = 0.0
    setup_ms: float = 0.0
    policies: list[PolicyRuntime] = Field(default_factory=list)
    versions: dict[str, str] = Field(default_factory=dict)


def log_name(assignments: Sequence[int], policy: int) -> str:
    """Return the name of a policy's log file: one for all its agents, named after the first."""
    return f"policy_agent_{list(assignments).index(policy)}.txt"


def installed_versions() -> dict[str, str]:
    """Return the versions of the installed packages that an episode depends on."""
    from mettagrid.policy.installed_policies import installed_policies

    versions = {}
    registered = [policy.distribution for policy in installed_policies() if policy.distribution is not None]
    for name in dict.fromkeys([*_DISTRIBUTIONS, *registered]):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def play_job(
    folder: Path,
    spec: dict[str, Any],
    policies: Sequence[PolicyToPlay],
    *,
    minimum: str = "landlock",
    time_limit_seconds: float | None = None,
    live: LiveDoor | None = None,
    on_replay: Callable[[Replay], None] | None = None,
) -> RunnerError | None:
    """Play the episode and write its files to the folder; return the error in `error_info.json`, if any.

    There are results and a replay unless the episode could not be played. An error of the type `crash` means that no
    policy is at fault: this machine or this code failed, and the episode should be retried. `minimum` is the weakest
    isolation to accept. Each policy has a share of the time limit for setup, loading and answers; one that needs more
    is at fault, and all shares together leave time for the engine. `live` lets people watch, `on_replay` gets the
    replay in memory.
    """
    error: RunnerError | None
    try:
        error = _play(folder, spec, policies, minimum, time_limit_seconds, live, on_replay)
    except ValueError as problem:  # also an invalid job, and assignments that do not fit
        error = runner_error("config_error", problem)
    except Exception as problem:
        error = runner_error("crash", problem)
    if error is not None:
        secrets = [value for policy in policies for value in policy.secrets.values()]
        if spec.get("policy_seed") is not None:
            secrets += [str(spec.get("seed"))]  # an error may quote the job
        hidden = Hidden.of_box([str(folder)], secrets=secrets)
        error = error.model_copy(update={"message": hidden.strike_text(error.message)})
        (folder / ERROR_INFO).write_text(error.model_dump_json())
    return error


def _play(
    folder: Path,
    spec: dict[str, Any],
    policies: Sequence[PolicyToPlay],
    minimum: str,
    time_limit: float | None,
    live: LiveDoor | None,
    on_replay: Callable[[Replay], None] | None,
) -> RunnerError | None:
    began = time.perf_counter()
    job = SingleEpisodeJob.model_validate(spec, context=LENIENT_CONTEXT)
    logs = [folder / f"policy-{index}.log" for index in range(len(policies))]
    seated = set(job.assignments)
    share = None if time_limit is None else time_limit / max(len(seated), 1)
    # Setup scripts run one after the other; policies load concurrently.
    setup_seconds = SETUP_SECONDS if share is None else min(SETUP_SECONDS, _SETUP_PART * share)
    load_seconds = EpisodePlan.prepare_timeout_s
    plan = EpisodePlan(
        job.env,
        [
            _source(policy, log, minimum, setup_seconds)
            if index in seated
            else FailedPolicy(policy.name, "has no seat")
            for index, (policy, log) in enumerate(zip(policies, logs, strict=True))
        ],
        job.assignments,
        seed=job.seed,
        policy_seed=job.policy_seed,
        policy_names=[policy.name for policy in policies],
        max_action_time_ms=job.max_action_time_ms,
        overage_budget_ms=job.overage_budget_ms,
        # Policies compute concurrently, so that all of them together take no longer than the sum.
        answer_budget_s=None if share is None else _ANSWERS_PART * share,
        prepare_timeout_s=load_seconds if time_limit is None else min(load_seconds, _LOAD_PART * time_limit),
        replay_path=folder / REPLAY,
        actions_path=folder / ACTIONS,
        scenes_path=folder / SCENES,
        history_path=folder / HISTORY,
        load_failure="verdict",
    )
    try:
        outcome = play_episode(plan, live=live, on_replay=on_replay)
    finally:
        for index in seated:
            if logs[index].exists():
                logs[index].rename(folder / log_name(job.assignments, index))
    (folder / RESULTS).write_text(outcome.pure_result().model_dump_json())
    runtime = _runtime(outcome, wall_ms=1000 * (time.perf_counter() - began))
    (folder / RUNTIME_INFO).write_text(runtime.model_dump_json())
    return failed_policy(outcome, job.policy_uris)


def _source(policy: PolicyToPlay, log: Path, minimum: str, setup_seconds: float) -> PolicySource:
    """Return the policy in a box; a policy that cannot be read is disabled, and the others play."""
    if policy.source is not None:
        return policy.source
    try:
        material = material_from_uri(policy.uri, may_use_index=policy.may_use_index, setup_seconds=setup_seconds)
    except MachineFault:
        raise
    except Exception as problem:
        if is_machine_fault(problem):
            raise MachineFault(f"The files of {policy.name} could not be read here: {problem}") from problem
        hidden = Hidden.of_box([str(log.parent)], secrets=policy.secrets.values())
        log.write_text(hidden.strike_text(f"{problem}\n"))
        return FailedPolicy(policy.name, hidden.strike_text(str(problem)))
    options = BoxPolicyOptions(minimum=minimum, env=policy.secrets, egress=policy.egress, log_path=str(log))
    return BoxedPolicy(replace(material, name=policy.name), options)


def _runtime(outcome: EpisodeOutcome, *, wall_ms: float) -> JobRuntime:
    versions = installed_versions()
    return JobRuntime(
        cogames_version=versions.get("cogames"),
        wall_ms=wall_ms,
        setup_ms=outcome.timings.setup_ms,
        policies=[
            PolicyRuntime(
                name=name,
                isolation=timings.isolation,
                start_ms=timings.load_ms,
                actions=_action_times(timings),
                status=verdict.status,
                failed_step=verdict.step,
                missed_deadlines=verdict.timeouts,
            )
            for name, timings, verdict in zip(
                outcome.policy_names, outcome.timings.policies, outcome.verdicts, strict=True
            )
        ],
        versions=versions,
    )


def _action_times(timings: PolicyTimings) -> ActionTimes | None:
    if not timings.answers or timings.median_ms is None or timings.p95_ms is None:
        return None
    return ActionTimes(
        count=timings.answers,
        mean=timings.total_ms / timings.answers,
        p50=timings.median_ms,
        p95=timings.p95_ms,
        max=timings.slowest_ms,
    )
