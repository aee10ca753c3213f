"""The games of the engine mettagrid, for the server and its workers.

The methods are those of `observatory.games.Game`. They exchange plain data, and they import the engine when they are
called: the server starts without it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from softmax.wire import AxisScore, DiagnosisFinding, MissionMetrics, MissionSpec

if TYPE_CHECKING:
    from mettagrid.live import LiveDoor
    from mettagrid.replay import Replay

__all__ = ["GAME", "MettaGridGame", "OutputFile", "SeatedPolicy"]

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class OutputFile:
    """A file that an episode may leave; the fields are those of `observatory.games.OutputFile`."""

    name: str
    max_bytes: int
    policy_index: int | None = None
    is_log: bool = False
    is_replay: bool = False
    is_digested: bool = False


class SeatedPolicy(Protocol):
    """A policy of an episode: a local address, and the settings of its process."""

    @property
    def name(self) -> str: ...
    @property
    def uri(self) -> str: ...
    @property
    def egress(self) -> Sequence[str]: ...
    @property
    def secrets(self) -> Mapping[str, str]: ...
    @property
    def may_use_index(self) -> bool: ...


class MettaGridGame:
    """Games of mettagrid: the missions that `cogames missions` lists."""

    engine = "mettagrid"
    bundle_inspector = "cogames.league.inspection"
    bundle_inspector_packages = ("mettagrid", "cogames")
    replay_file = "replay.json.z"
    machine_errors = frozenset({"crash"})
    viewer_page = "index.html"
    viewer_file = "replay.json.z"

    def env_config(
        self, mission: str, *, variants: Sequence[str], num_agents: int, max_steps: int | None
    ) -> dict[str, Any]:
        """Return the environment of a mission; raise `ValueError` when there is no such mission or variant."""
        from cogames.missions.catalog import load
        from cogames.missions.files import is_mission_file
        from mettagrid.cogame.errors import MissionError

        if is_mission_file(mission):  # which may be a program
            raise ValueError("a season plays a mission by its name, as `cogames missions` lists it")
        try:
            env = load(mission, variants=variants, cogs=num_agents)
        except MissionError as error:
            raise ValueError(str(error)) from error
        if max_steps is not None:
            env.game.max_steps = max_steps
        document: dict[str, Any] = env.model_dump(mode="json")
        return document

    def check_job(self, spec: Mapping[str, Any]) -> None:
        """Raise `ValueError` for a job that cannot be played: malformed, or with seats that do not fit."""
        from mettagrid.base_config import LENIENT_CONTEXT
        from mettagrid.runner.types import SingleEpisodeJob, check_assignments

        job = SingleEpisodeJob.model_validate(spec, context=LENIENT_CONTEXT)
        if job.env.game_engine != self.engine:
            raise ValueError(f"there is no runner for games of the engine {job.env.game_engine!r}")
        check_assignments(job.assignments, num_agents=job.env.num_agents, num_policies=len(job.policy_uris))

    def has_policy(self, name: str) -> bool:
        """Return whether a policy with this short name is installed."""
        from mettagrid.policy.policy_registry import find_policy_class_path

        return find_policy_class_path(name) is not None

    def pack_policy(self, name: str, path: Path) -> None:
        """Write the bundle of an installed policy."""
        from cogames.policy.bundles import create_bundle

        create_bundle(f"class={name}", path)

    def read_policy_spec(self, folder: Path) -> dict[str, Any]:
        """Return the policy spec from the manifest in a folder; raise `FileNotFoundError` or `ValueError`."""
        from mettagrid.policy.submission import read_submission_policy_spec

        document: dict[str, Any] = read_submission_policy_spec(folder).model_dump(mode="json")
        return document

    def output_files(self, spec: Mapping[str, Any]) -> list[OutputFile]:
        """Return the files that a worker may send. Those with a digest are the same each time the job is played."""
        assignments = list(spec.get("assignments", []))
        # As `mettagrid.runner.boxed.job.log_name`; the server does not import the engine for this.
        logs = {f"policy_agent_{assignments.index(policy)}.txt": policy for policy in assignments}
        return [
            OutputFile("replay.json.z", sys.maxsize, is_replay=True, is_digested=True),
            OutputFile("actions.json.z", sys.maxsize, is_replay=True, is_digested=True),
            OutputFile("results.json", 64 * MEGABYTE, is_digested=True),
            OutputFile("error_info.json", MEGABYTE),
            OutputFile("runtime_info.json", MEGABYTE),
            OutputFile("explanation.json", MEGABYTE),
            *(OutputFile(name, 2 * MEGABYTE, logs[name], is_log=True) for name in sorted(logs)),
        ]

    def read_result(self, data: bytes) -> dict[str, Any]:
        """Return the content of `results.json`; raise `ValueError` if it is malformed."""
        from mettagrid.runner.types import PureSingleEpisodeResult

        document: dict[str, Any] = PureSingleEpisodeResult.model_validate_json(data).model_dump(mode="json")
        return document

    def read_runtime(self, data: bytes) -> dict[str, Any]:
        """Return the content of `runtime_info.json`; raise `ValueError` if it is malformed."""
        from mettagrid.runner.boxed.job import JobRuntime

        document: dict[str, Any] = JobRuntime.model_validate_json(data).model_dump(mode="json")
        return document

    def measure_missions(
        self, played: Mapping[str, Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]]
    ) -> dict[str, MissionMetrics]:
        """Return the metrics of each mission from the (job, result) of its episodes."""
        from cogames.league.assays import measure_missions

        return measure_missions(played)

    def score_axes(
        self, played: Mapping[str, Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]]
    ) -> list[AxisScore]:
        """Return scores of the axes for which a mission was played."""
        from cogames.league.assays import score_axes

        return score_axes(played)

    def diagnosis_missions(self) -> list[MissionSpec]:
        """Return the missions of a diagnosis, the standard pack of `cogames diagnose`. This is slow."""
        from cogames.league.assays import diagnosis_missions

        return diagnosis_missions()

    def diagnose(
        self, played: Mapping[str, Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]]
    ) -> list[DiagnosisFinding]:
        """Return the weaknesses of a policy that played the missions of a diagnosis, the worst first."""
        from cogames.league.assays import diagnose

        return diagnose(played)

    def viewer_folder(self) -> Path | None:
        """Return the folder of the replay viewer, `index.html` and `assets/`; None if it was not built."""
        from mettagrid.viewer import PagesMissing
        from mettagrid.viewer._pages import pages_folder

        try:
            return pages_folder()
        except PagesMissing:
            return None

    def viewer_policy(self) -> str:
        """Return the Content-Security-Policy of the replay viewer."""
        from mettagrid.viewer._pages import policy

        return policy()

    def prepare_to_play(self) -> None:
        """Import what `play` needs; a worker forks its episodes from a process that has done so."""
        import mettagrid.live
        import mettagrid.runner.boxed.job  # noqa: F401

    def play(
        self,
        folder: Path,
        spec: dict[str, Any],
        policies: Sequence[SeatedPolicy],
        *,
        minimum: str,
        time_limit_seconds: float,
        live: LiveDoor | None = None,
    ) -> None:
        """Play an episode and write its files to the folder, see `mettagrid.runner.boxed.job` and `explain.job`."""
        from mettagrid.runner.boxed.job import PolicyToPlay, play_job

        seated = [
            PolicyToPlay(policy.name, policy.uri, policy.egress, policy.secrets, may_use_index=policy.may_use_index)
            for policy in policies
        ]
        replays: list[Replay] = []
        limits: dict[str, Any] = {"minimum": minimum, "time_limit_seconds": time_limit_seconds}
        play_job(folder, spec, seated, **limits, live=live, on_replay=replays.append)
        self._explain(folder, spec, [policy.name for policy in policies], replays)

    def _explain(self, folder: Path, spec: dict[str, Any], names: Sequence[str], replays: Sequence[Replay]) -> None:
        from cogames.explain.job import write_explanation

        if replays:
            write_explanation(folder, replays[0], names, spec["assignments"])


GAME = MettaGridGame()
