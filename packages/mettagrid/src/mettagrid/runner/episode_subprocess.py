"""Play one episode with running policy servers: `python -m mettagrid.runner.episode_subprocess JOB ERROR`.

JOB is a JSON file `{"job": PureSingleEpisodeJob, "device": "cpu"}` whose `policy_uris` are addresses of policy servers,
`ws://host:port`. Results and replay go where the job says. On failure, the exit status is 1 and a `RunnerError` is
written to ERROR as JSON: for a failed policy, after the episode was played to its end without it, or for the job.
"""

from __future__ import annotations

import json
import logging
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import ValidationError

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.runner.author_traceback import last_place
from mettagrid.runner.engine_registry import get_engine_runner, is_registered
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, PolicySource, play_episode
from mettagrid.runner.types import PureSingleEpisodeJob, PureSingleEpisodeResult, RunnerError

__all__ = ["failed_policy", "main", "play_job"]

logger = logging.getLogger(__name__)

MAX_ERROR_MESSAGE = 2000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a job file; see the module."""
    job_path, error_path = sys.argv[1:3] if arguments is None else arguments
    try:
        job = PureSingleEpisodeJob.model_validate(json.loads(Path(job_path).read_text())["job"])
        error = play_job(job)
    except ValidationError as problem:
        error = runner_error("config_error", problem)
    except Exception as problem:
        logger.exception("The episode could not be played")
        error = runner_error("crash", problem)
    if error is None:
        return 0
    Path(error_path).write_text(error.model_dump_json())
    return 1


def play_job(job: PureSingleEpisodeJob) -> RunnerError | None:
    """Play a job whose policies are served, and write its results; return the error of the failed policy, if any."""
    if not isinstance(job.env, MettaGridConfig) and is_registered(job.env.game_engine):
        runner = get_engine_runner(job.env.game_engine)
        assert runner is not None
        write_results(job.results_uri, runner(job))
        return None
    names = job.policy_names or job.policy_uris
    plan = EpisodePlan(
        job.env,
        [served_at(uri, name) for uri, name in zip(job.policy_uris, names, strict=True)],
        job.assignments,
        seed=job.seed,
        policy_names=names,
        max_action_time_ms=job.max_action_time_ms,
        overage_budget_ms=job.overage_budget_ms,
        replay_path=_path(job.replay_uri),
        load_failure="verdict",
    )
    outcome = play_episode(plan)
    write_results(job.results_uri, outcome.pure_result())
    return failed_policy(outcome, job.policy_uris)


def served_at(uri: str, name: str) -> PolicySource:
    """Return the policy behind an address `ws://host:port`."""
    from mettagrid.runner.episode.served import Served

    address = urlsplit(uri)
    if address.scheme != "ws" or address.hostname is None:
        raise ValueError(f"{uri} is not the address of a policy server; it must look like ws://127.0.0.1:1234")
    place = (address.hostname, address.port or 80)
    return Served(name, lambda: (socket.create_connection(place), None))


def failed_policy(outcome: EpisodeOutcome, policy_uris: Sequence[str]) -> RunnerError | None:
    """Return the error of the first policy that did not play to the end: what happened, at which step, and where.

    The error is public; the traceback with lines of the code is in the policy's log.
    """
    for index, verdict in enumerate(outcome.verdicts):
        if not verdict.played_to_the_end and verdict.status != "disabled":
            when = "" if verdict.step is None else f"at step {verdict.step}"
            place = last_place(outcome.last_words[index]) if outcome.last_words else ""
            where = ", ".join(part for part in (when, place) if part)
            return RunnerError(
                error_type="policy_error",
                message=f"{verdict.status}: {verdict.message}" + (f"\n{where}" if where else ""),
                failed_policy_index=index,
                failed_policy_uri=policy_uris[index],
                failed_policy_name=outcome.policy_names[index],
            )
    return None


def runner_error(error_type: str, problem: BaseException) -> RunnerError:
    """Return an exception as an error for which no policy is at fault."""
    text = str(problem) or type(problem).__name__
    return RunnerError.model_validate({"error_type": error_type, "message": text[:MAX_ERROR_MESSAGE]})


def write_results(uri: str | None, result: PureSingleEpisodeResult) -> None:
    from mettagrid.util.file import write_data

    if uri is not None:
        write_data(uri, result.model_dump_json(), content_type="application/json")


def _path(uri: str | None) -> Path | None:
    from mettagrid.util.uri_resolvers.schemes import parse_uri

    path: Path | None = None if uri is None else getattr(parse_uri(uri), "local_path", None)
    return path


if __name__ == "__main__":
    raise SystemExit(main())
