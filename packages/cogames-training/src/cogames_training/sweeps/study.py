"""Run the trials of a sweep one after the other.

Trial k is drawn by a sampler whose seed comes from the sweep's seed and k, given the finished trials before it. A sweep
that is stopped at any moment and started again therefore runs the same trials as one that was not. A trial that was
running when the sweep was killed is marked as failed in Optuna's study and drawn again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cogames_training.sweeps.errors import SweepError
from cogames_training.sweeps.folder import SweepFolder
from cogames_training.sweeps.space import Parameter

__all__ = ["SweepPlan", "SweepResults", "Trial", "TrialResult", "run_sweep"]

NAME = "sweep"
FAILURES = 3
"""failed trials at the start after which a sweep gives up"""
FEWEST_FOR_IMPORTANCE = 8


@dataclass(frozen=True)
class SweepPlan:
    """What to search. `settings` are those of every trial; a folder continues only with the same plan."""

    parameters: Sequence[Parameter]
    metric: str = "overview/reward"
    direction: Literal["maximize", "minimize"] = "maximize"
    seed: int = 42
    settings: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        return {**asdict(self), "parameters": [asdict(parameter) for parameter in self.parameters]}


@dataclass(frozen=True)
class Trial:
    """One trial: its number from 0, the values of the searched settings, its seed and the folder for its run."""

    number: int
    values: dict[str, Any]
    seed: int
    runs: Path


@dataclass(frozen=True)
class TrialResult:
    """A finished trial; `score` is None where it failed, and `problem` says why."""

    number: int
    values: dict[str, Any]
    seed: int
    score: float | None
    problem: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class SweepResults:
    """The trials of a sweep in order, and how much each setting matters (parts of 1; empty with few trials)."""

    plan: SweepPlan
    trials: Sequence[TrialResult]
    importance: dict[str, float]

    def ranked(self) -> list[TrialResult]:
        """Return the trials with a score, best first."""
        scored = [trial for trial in self.trials if trial.score is not None]
        sign = -1 if self.plan.direction == "maximize" else 1
        return sorted(scored, key=lambda trial: (sign * (trial.score or 0.0), trial.number))

    def document(self) -> dict[str, Any]:
        trials = [asdict(trial) for trial in self.trials]
        return {"plan": self.plan.document(), "trials": trials, "importance": self.importance}


def run_sweep(
    plan: SweepPlan,
    folder: Path,
    objective: Callable[[Trial], float],
    *,
    trials: int,
    on_trial: Callable[[TrialResult, int], None] | None = None,
) -> SweepResults:
    """Run the trials that the folder lacks and write results and report after each.

    `objective` returns the score of a trial. An exception marks the trial as failed; `SweepError` and interrupts end
    the sweep. `on_trial` gets each new result and the number of trials.
    """
    if not plan.parameters:
        raise SweepError("A sweep needs at least one setting to search", ["add --search KEY=LOW..HIGH"])
    optuna = _optuna()
    from cogames_training.sweeps.report import render_report

    with SweepFolder.opened(folder, plan.document()) as opened:
        study = optuna.create_study(
            study_name=NAME, storage=opened.study, direction=plan.direction, load_if_exists=True
        )
        for unfinished in study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.RUNNING,)):
            study.tell(unfinished.number, state=optuna.trial.TrialState.FAIL)
        results = _results(plan, study)
        while len(results.trials) < trials:
            result = _run_trial(plan, study, opened, objective, number=len(results.trials))
            results = _results(plan, study)
            opened.write_outputs(results.document(), render_report(results, trials=trials))
            if on_trial is not None:
                on_trial(result, trials)
            if len(results.trials) >= FAILURES and not results.ranked():
                raise SweepError(f"The first {len(results.trials)} trials failed: {result.problem}")
        opened.write_outputs(results.document(), render_report(results, trials=trials))
        return results


def _run_trial(
    plan: SweepPlan, study: Any, folder: SweepFolder, objective: Callable[[Trial], float], *, number: int
) -> TrialResult:
    import time

    optuna = _optuna()
    sampler_seed, seed = (int(word) for word in np.random.SeedSequence([plan.seed, number]).generate_state(2) >> 1)
    study.sampler = optuna.samplers.TPESampler(seed=sampler_seed)
    asked = study.ask()
    values = {parameter.key: parameter.suggest(asked) for parameter in plan.parameters}
    asked.set_user_attr("values", values)
    asked.set_user_attr("seed", seed)
    start = time.monotonic()
    try:
        score = float(objective(Trial(number, values, seed, folder.runs)))
        problem = "" if np.isfinite(score) else f"{plan.metric} is {score}"
    except SweepError:
        raise
    except Exception as error:
        score, problem = float("nan"), (str(error).splitlines() or [""])[0] or type(error).__name__
    asked.set_user_attr("seconds", time.monotonic() - start)
    asked.set_user_attr("problem", problem)
    asked.set_user_attr("number", number)  # last: only a trial with a number counts as finished
    if problem:
        study.tell(asked, state=optuna.trial.TrialState.FAIL)
    else:
        study.tell(asked, score)
    return TrialResult(number, values, seed, None if problem else score, problem)


def _results(plan: SweepPlan, study: Any) -> SweepResults:
    finished: dict[int, TrialResult] = {}
    for trial in study.get_trials(deepcopy=False):
        attributes = trial.user_attrs
        has_ended = trial.value is not None or attributes.get("problem")
        if trial.state.is_finished() and "number" in attributes and has_ended:
            finished[attributes["number"]] = TrialResult(
                attributes["number"],
                attributes["values"],
                attributes["seed"],
                trial.value,
                attributes["problem"],
                attributes["seconds"],
            )
    ordered = [finished[number] for number in sorted(finished)]
    return SweepResults(plan, ordered, _importance(study, ordered))


def _importance(study: Any, trials: Sequence[TrialResult]) -> dict[str, float]:
    """Return how much of the difference between good and other trials each setting explains; largest first."""
    scores = {trial.score for trial in trials if trial.score is not None}
    if sum(trial.score is not None for trial in trials) < FEWEST_FOR_IMPORTANCE or len(scores) < 2:
        return {}
    optuna = _optuna()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        evaluator = optuna.importance.PedAnovaImportanceEvaluator()
        found = optuna.importance.get_param_importances(study, evaluator=evaluator)
    return {name: float(value) for name, value in found.items()}


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise SweepError(
            "A sweep needs Optuna, which is not installed", ['pip install "cogames-training[sweep]"']
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
