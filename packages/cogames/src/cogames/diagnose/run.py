"""Run a diagnosis.

Stage 1 plays every case with all seats for the policy and scores three axes. Stage 2 plays them again, alone and beside
a copy, to test whether the policy plays well with others. A run that cannot continue stops early, writes what it has,
and marks the diagnosis as incomplete.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cogames.diagnose.artifacts import RERUNS, STAGE1_REPLAYS, STAGE2_REPLAYS, OutputFolder
from cogames.diagnose.assessment import BaselineRun, Evidence, assess
from cogames.diagnose.baselines import SCRIPTED, STRONG
from cogames.diagnose.cases import explain_no_cases, find_cases
from cogames.diagnose.manifest import RunIdentity
from cogames.diagnose.metrics import CaseOutcomes
from cogames.diagnose.options import ABSOLUTE_SEED, DEFAULT_OUTPUT, MIRROR_SEED, STAGE1_SEED, DiagnoseOptions
from cogames.diagnose.pack import check_gate, check_pack
from cogames.diagnose.play import PlayEpisodes, Table
from cogames.diagnose.stability import Snapshot, compare_snapshots, read_snapshot, take_snapshot
from cogames.diagnose.status import StageStatus, VisitStatus
from cogames.diagnose.visit import Visit
from cogames.diagnose.writer import write_conclusions, write_plan, write_stage1, write_stage2, write_state
from cogames.policy.arguments import parse_policy_spec
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, play_episodes

Say = Callable[[str], None]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class DiagnoseRun:
    """The result of a run. `exit_code` is 1 if there was no case to play, otherwise 0."""

    run_id: str
    output_dir: Path
    status: VisitStatus
    dominant_issue: str
    exit_code: int = 0

    @property
    def is_complete(self) -> bool:
        return self.status.is_complete


def run_diagnosis(
    options: DiagnoseOptions,
    *,
    play: PlayEpisodes | None = None,
    say: Say | None = None,
    progress: Progress | None = None,
) -> DiagnoseRun:
    """Diagnose a policy and write the results to the output folder.

    `say` receives messages about the run; `progress` receives the number of episodes done and the total of a part.
    `play` plays episodes, by default with the episode runner. Raises `DiagnoseError`, `MissionError`,
    `PolicyArgumentError` or `FileNotFoundError` before anything is written, and `PolicyLoadError` if the policy cannot
    be created.
    """
    return _Diagnosis(options, play or _runner(options.workers, progress), say or (lambda text: None)).run()


def _runner(workers: int | None, progress: Progress | None) -> PlayEpisodes:
    def play(plans: Sequence[EpisodePlan]) -> list[EpisodeOutcome]:
        done = 0

        def count(number: int, outcome: EpisodeOutcome) -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(done, len(plans))

        return play_episodes(plans, workers=workers, on_progress=count)

    return play


class _Diagnosis:
    def __init__(self, options: DiagnoseOptions, play: PlayEpisodes, say: Say) -> None:
        self._options = options
        self._say = say
        self._policy = self._read(options.policy)
        cases = find_cases(options.mission_set, experiments=options.experiments, cogs=options.cogs, game=options.game)
        identity = RunIdentity.new()
        gate = check_gate(options.mission_set, cases)
        self._visit = Visit(
            identity=identity,
            options=options,
            folder=OutputFolder.prepare(options.output_dir or DEFAULT_OUTPUT / identity.run_id),
            cases=cases,
            contract=check_pack(options.mission_set, cases, steps=options.steps, episodes=options.episodes),
            gate=gate,
            status=VisitStatus("stage1_running"),
            evidence=Evidence(gate),
            assessment=assess(Evidence(gate)),
        )
        if options.bundle_zip is not None:
            self._visit.folder.check_outside(options.bundle_zip)
        self._table = Table(
            cases=cases,
            play=play,
            folder=self._visit.folder,
            episodes=options.episodes,
            steps=options.steps,
            game=options.game,
            action_timeout_ms=options.action_timeout_ms,
            device=options.device,
        )

    def run(self) -> DiagnoseRun:
        visit = self._visit
        write_plan(visit)
        if not visit.contract.valid:
            self._say("This run does not follow the standard pack: " + "; ".join(visit.contract.failures))
        visit.status = self._examine()
        visit.stability = compare_snapshots(self._snapshots())
        if visit.status.is_complete and self._options.require_stable_interpretation and not visit.stability.stable:
            why = ("The interpretation must be the same in every rerun.", *visit.stability.notes)
            visit.status = VisitStatus("stage2_incomplete", why)
        write_conclusions(visit)
        return DiagnoseRun(
            run_id=visit.identity.run_id,
            output_dir=visit.folder.root,
            status=visit.status,
            dominant_issue=visit.assessment.dominant_issue,
            exit_code=0 if visit.cases else 1,
        )

    def _examine(self) -> VisitStatus:
        """Play both stages; stop at the first one that is incomplete."""
        visit = self._visit
        if not visit.cases:
            options = self._options
            reason = explain_no_cases(
                options.mission_set, experiments=options.experiments, cogs=options.cogs, game=options.game
            )
            return VisitStatus("stage1_incomplete", (reason,))
        if not visit.gate.satisfied:
            return VisitStatus("stage1_incomplete", (_gate_note(visit),))
        self._enter("stage1_running", f"Stage 1: {len(visit.cases)} cases, {visit.episodes_per_part} episodes")
        stage1 = self._play_stage1(STAGE1_REPLAYS)
        visit.conclude(replace(visit.evidence, stage1=stage1, baselines=self._play_baselines()))
        write_stage1(visit)
        problems = _stage1_problems(visit)
        if problems:
            return VisitStatus("stage1_incomplete", problems)
        self._enter("stage1_passed_for_social", "Stage 1 is complete")
        self._enter(
            "stage2_running", f"Stage 2: the policy alone and beside its copy, {visit.episodes_per_part} episodes each"
        )
        absolute, mirror = self._play_stage2(STAGE2_REPLAYS)
        visit.conclude(replace(visit.evidence, absolute=absolute, mirror=mirror))
        write_stage2(visit)
        problems = _stage2_problems(visit)
        if problems:
            return VisitStatus("stage2_incomplete", problems)
        return VisitStatus("stage2_completed", ("Both stages are complete.",))

    def _enter(self, stage_status: StageStatus, text: str) -> None:
        self._visit.status = VisitStatus(stage_status)
        write_state(self._visit)
        self._say(text)

    def _play_stage1(self, replays: str) -> list[CaseOutcomes]:
        return self._table.run([self._policy], [self._policy.name], seed=STAGE1_SEED, replays=replays)

    def _play_stage2(self, replays: str) -> tuple[list[CaseOutcomes], list[CaseOutcomes]]:
        policy, name = self._policy, self._policy.name
        absolute = self._table.run([policy], [name], seed=ABSOLUTE_SEED, replays=f"{replays}/absolute")
        names = [name, f"{name} (2)"]
        mirror = self._table.run([policy, policy], names, seed=MIRROR_SEED, replays=f"{replays}/mirror")
        return absolute, mirror

    def _play_baselines(self) -> list[BaselineRun]:
        policies = {SCRIPTED: self._options.scripted_baseline_policy, STRONG: self._options.known_strong_policy}
        runs = []
        for role, text in policies.items():
            if text is None:
                continue
            self._say(f"Baseline: {text}")
            try:
                policy = self._read(text)
                played = self._table.run([policy], [policy.name], seed=STAGE1_SEED, replays=None)
            except Exception as error:  # third-party code; the diagnosis does not depend on it
                self._visit.remarks.append(f"The baseline {text!r} could not be played: {error}")
                continue
            runs.append(BaselineRun(role, text, played))
        return runs

    def _snapshots(self) -> list[Snapshot]:
        """Return snapshots of this run, of the earlier runs to compare with, and of the reruns."""
        visit = self._visit
        run_id, assessment = visit.identity.run_id, visit.assessment
        snapshots = [take_snapshot("current", run_id, assessment.dominant_issue, assessment.symptoms)]
        for number, run_dir in enumerate(self._options.compare_run_dirs, start=1):
            try:
                snapshots.append(read_snapshot(f"compare_{number}", run_dir))
            except ValueError as error:
                visit.remarks.append(f"Not compared with {run_dir}: {error}")
        if visit.status.is_complete:
            for number in range(1, self._options.stability_reruns + 1):
                self._say(f"Rerun {number} of {self._options.stability_reruns}")
                visit.reruns.append(self._rerun(number))
        return snapshots + visit.reruns

    def _rerun(self, number: int) -> Snapshot:
        label = f"rerun_{number}"
        stage1 = self._play_stage1(f"{RERUNS}/{label}/replays_stage1")
        absolute, mirror = self._play_stage2(f"{RERUNS}/{label}/{STAGE2_REPLAYS}")
        assessment = assess(replace(self._visit.evidence, stage1=stage1, absolute=absolute, mirror=mirror))
        return take_snapshot(label, self._visit.identity.run_id, assessment.dominant_issue, assessment.symptoms)

    def _read(self, text: str) -> PolicySpec:
        return parse_policy_spec(text, self._options.device).to_policy_spec()


def _gate_note(visit: Visit) -> str:
    missing = ", ".join(
        f"{result.axis} ({' or '.join(result.accepted_probe_missions)})" for result in visit.gate.missing
    )
    if not missing:
        return f"The axes were not designed for the mission set {visit.options.mission_set}; use cvc_evals."
    return f"Not played: these axes have no mission: {missing}."


def _stage1_problems(visit: Visit) -> tuple[str, ...]:
    return (
        *_replay_problem("stage 1", len(visit.assessment.stage1_replays), visit.episodes_per_part),
        *(signal.summary for signal in visit.assessment.signals if not signal.confirmed),
    )


def _stage2_problems(visit: Visit) -> tuple[str, ...]:
    problems = _replay_problem("stage 2", len(visit.assessment.stage2_replays), 2 * visit.episodes_per_part)
    if visit.assessment.social is None or not visit.assessment.social.confirmed:
        problems += ("Stage 2 has no confirmed result for the policy beside its copy.",)
    return problems


def _replay_problem(stage: str, count: int, expected: int) -> tuple[str, ...]:
    return (f"Only {count} of {expected} replays of {stage} were written.",) if count < expected else ()
