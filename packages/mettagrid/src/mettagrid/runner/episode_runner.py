"""Play one episode with every policy in its own process, from URIs to results."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, PolicySource, play_episode
from mettagrid.runner.episode_subprocess import failed_policy
from mettagrid.runner.types import EpisodeSpec, PureSingleEpisodeResult, RunnerError, check_assignments
from mettagrid.util.tracer import Tracer

if TYPE_CHECKING:
    from mettagrid.runner.episode import SeatHolder

__all__ = [
    "MAX_POLICY_LOG_BYTES",
    "MAX_POLICY_SIZE_BYTES",
    "EpisodeSubprocessError",
    "LocalProcess",
    "play_episode_isolated",
    "run_episode_isolated",
]

logger = logging.getLogger(__name__)

UNBOXED_VARIABLE = "EPISODE_RUNNER_UNBOXED"
MAX_POLICY_LOG_BYTES = 100 << 20
MAX_POLICY_SIZE_BYTES = 500 << 20
DOWNLOAD_SECONDS = 300
CHUNK_BYTES = 1 << 20


class EpisodeSubprocessError(RuntimeError):
    """An episode failed; `runner_error` says why, and which policy is at fault, if any."""

    def __init__(self, message: str, runner_error: RunnerError | None = None) -> None:
        super().__init__(message)
        self.runner_error = runner_error


@dataclass(frozen=True)
class LocalProcess:
    """A source of policies, each in a plain local process."""

    name: str
    uri: str
    env: Mapping[str, str] = field(default_factory=dict)
    log_path: Path | None = None

    def open(self) -> SeatHolder:
        from mettagrid.runner.episode.served import ServedHolder
        from mettagrid.runner.policy_server.manager import start_policy_process

        return ServedHolder(*start_policy_process(self.uri, env=self.env, log_path=self.log_path))


def isolated_policy(name: str, uri: str, env: Mapping[str, str], log_path: Path | None) -> PolicySource:
    """Return the source of a policy of an isolated episode: a box. No other code decides this.

    If `UNBOXED_VARIABLE` is 1 it is a plain process instead, for machines without box support and for trusted policies.
    A failing setup script counts as the policy's failure, not the episode's.
    """
    from mettagrid.runner.boxed import BoxedPolicy, BoxPolicyOptions, FailedPolicy, material_from_uri

    if os.environ.get(UNBOXED_VARIABLE) == "1":
        return LocalProcess(name, uri, env, log_path)
    try:
        material = material_from_uri(uri)
    except RuntimeError as error:
        return FailedPolicy(name, str(error))
    options = BoxPolicyOptions(env=env, log_path=None if log_path is None else str(log_path))
    return BoxedPolicy(replace(material, name=name), options)


def run_episode_isolated(
    spec: EpisodeSpec,
    results_path: Path,
    *,
    replay_path: Path | None = None,
    debug_dir: Path | None = None,
    policy_log_dir: Path | None = None,
    policy_secrets: dict[int, dict[str, str]] | None = None,
) -> PureSingleEpisodeResult:
    """Play an episode with each policy in its own process, and write the results.

    `policy_log_dir` gets a file `<agent>.log` for each agent, `policy_secrets` are environment variables by policy.
    If a policy fails, the others continue and the results are written; then `EpisodeSubprocessError` is raised.
    """
    outcome = play_episode_isolated(
        spec,
        replay_path=replay_path,
        debug_dir=debug_dir,
        policy_log_dir=policy_log_dir,
        policy_secrets=policy_secrets,
    )
    result = outcome.pure_result()
    results_path.parent.mkdir(parents=True, exist_ok=True)
    results_path.write_text(result.model_dump_json())
    error = failed_policy(outcome, spec.policy_uris)
    if error is not None:
        raise EpisodeSubprocessError(f"The policy {error.failed_policy_name} failed: {error.message}", error)
    return result


def play_episode_isolated(
    spec: EpisodeSpec,
    *,
    replay_path: Path | None = None,
    debug_dir: Path | None = None,
    policy_log_dir: Path | None = None,
    policy_secrets: Mapping[int, Mapping[str, str]] | None = None,
) -> EpisodeOutcome:
    """Play like `run_episode_isolated`, but return a verdict on each policy and write only the requested files."""
    check_assignments(spec.assignments, num_agents=spec.env.num_agents, num_policies=len(spec.policy_uris))
    names = spec.policy_names or spec.policy_uris
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="episode-")))
        sources = []
        for index, uri in enumerate(spec.policy_uris):
            local_uri = _localized(uri, folder) if index in spec.assignments else uri
            secrets = dict((policy_secrets or {}).get(index, {}))
            sources.append(isolated_policy(names[index], local_uri, secrets, folder / f"policy-{index}.log"))
        plan = EpisodePlan(
            spec.env,
            sources,
            spec.assignments,
            seed=spec.seed,
            policy_names=names,
            max_action_time_ms=spec.max_action_time_ms,
            overage_budget_ms=spec.overage_budget_ms,
            replay_path=replay_path,
            load_failure="verdict",
        )
        for path in (debug_dir, policy_log_dir):
            if path is not None:
                path.mkdir(parents=True, exist_ok=True)
        tracer = None if debug_dir is None else Tracer(debug_dir / "trace.json")
        try:
            return play_episode(plan, tracer=tracer)
        finally:
            if tracer is not None:
                tracer.flush()
            if policy_log_dir is not None:
                _copy_logs(folder, policy_log_dir, spec.assignments)


def _localized(uri: str, folder: Path) -> str:
    """Return an address that works inside a policy's process; a remote bundle is downloaded."""
    from mettagrid.util.uri_resolvers.schemes import localize_uri, parse_uri

    if _is_signed_address(uri):
        return _download(uri, folder)
    base, _, query = uri.partition("?")
    parsed = parse_uri(base, allow_none=True)
    if parsed is None or parsed.scheme in ("mock", "metta"):
        return uri
    path = localize_uri(base)
    return uri if path is None else f"{path.resolve().as_uri()}{'?' if query else ''}{query}"


def _is_signed_address(uri: str) -> bool:
    address = urlsplit(uri)
    signs = {name.lower() for name in parse_qs(address.query)}
    return address.scheme in ("http", "https") and bool(signs & {"x-amz-signature", "signature", "sig"})


def _download(uri: str, folder: Path) -> str:
    """Download a bundle, up to the size limit for uploads."""
    name = Path(urlsplit(uri).path).name or "policy.zip"
    target = Path(tempfile.mkdtemp(dir=folder)) / name
    with urlopen(uri, timeout=DOWNLOAD_SECONDS) as response, target.open("wb") as file:
        size = 0
        while chunk := response.read(CHUNK_BYTES):
            size += len(chunk)
            if size > MAX_POLICY_SIZE_BYTES:
                raise ValueError(f"The policy is larger than {MAX_POLICY_SIZE_BYTES >> 20} MB")
            file.write(chunk)
    return target.as_uri()


def _copy_logs(folder: Path, policy_log_dir: Path, assignments: Sequence[int]) -> None:
    """Copy the end of each policy's log, once for each of its agents."""
    for agent, policy in enumerate(assignments):
        log = folder / f"policy-{policy}.log"
        target = policy_log_dir / f"{agent}.log"
        target.touch()
        if log.exists():
            with log.open("rb") as source, target.open("wb") as copy:
                source.seek(max(0, log.stat().st_size - MAX_POLICY_LOG_BYTES))
                shutil.copyfileobj(source, copy)
