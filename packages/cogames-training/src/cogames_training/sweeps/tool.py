"""The recipe's `sweep`: the settings of `train`, and how to search."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from cogames_training.recipes.binding import override
from cogames_training.recipes.tools import TrainTool
from cogames_training.sweeps.errors import SweepError
from cogames_training.sweeps.space import DOCUMENTED, Parameter, flatten, full_key, parse_search
from cogames_training.sweeps.study import SweepPlan, SweepResults, Trial, TrialResult, run_sweep
from softmax.cli.errors import INTERRUPTED
from softmax.cli.output import note, print_table

__all__ = ["SweepTool", "print_sweep"]


class SweepTool(TrainTool):
    """Search for settings of a training run."""

    search: dict[str, Any] = Field(default_factory=dict)
    """ranges by key: LOW..HIGH[:log], A,B,C or none for the guide's range; by default all ranges of the guide"""
    trials: int = Field(default=20, ge=1)
    """training runs; a larger number continues a finished sweep"""
    metric: str = "overview/reward"
    """metric to optimize: its mean over the last tenth of a run"""
    direction: Literal["maximize", "minimize"] = "maximize"
    """whether more or less of the metric is better"""

    def check(self) -> None:
        super().check()
        self.parameters()

    def parameters(self) -> list[Parameter]:
        """Return what to search: `search`, or the guide's ranges without the settings that this sweep fixes."""
        if self.search:
            given = {full_key(key): values for key, values in flatten(self.search).items()}
            parameters = [parse_search(key, values) for key, values in given.items()]
        else:
            parameters = [parse_search(key, None) for key in DOCUMENTED if not self._is_fixed(key)]
        if self.teacher.policy_uri is None and any(each.key.startswith("teacher.") for each in parameters):
            if self.search:
                raise SweepError("A search of teacher settings needs a teacher", ["add teacher.policy_uri=URI"])
            parameters = [each for each in parameters if not each.key.startswith("teacher.")]
        return parameters

    def plan(self) -> SweepPlan:
        leave_out = {"run", "recipe", "data_dir", "search", "trials", "metric", "direction", "device", "wandb"}
        settings = self.model_dump(mode="json", exclude=leave_out)
        return SweepPlan(self.parameters(), self.metric, self.direction, self.seed, settings)

    def trial_tool(self, trial: Trial, name: str) -> TrainTool:
        """Return the training run of a trial."""
        fields = {key: getattr(self, key) for key in TrainTool.model_fields}
        values = _nested(trial.values)
        base = TrainTool(**fields).model_copy(deep=True)
        run = f"{name}-{trial.number:03d}"
        return override(base, {**values, "run": run, "seed": trial.seed, "data_dir": str(trial.runs)})

    def invoke(self) -> int:
        self.search_settings()
        return 0

    def search_settings(self, *, quiet: bool = False) -> SweepResults:
        """Run the sweep, print it unless `quiet`, and return its results."""
        name = self.run_name()
        folder = self.folder() / name
        plan = self.plan()
        note(f"Sweep of {self.trials} trials in {folder}: {', '.join(f'{p.key}={p.text()}' for p in plan.parameters)}")
        try:
            results = run_sweep(
                plan, folder, lambda trial: self._objective(trial, name), trials=self.trials, on_trial=_note_trial
            )
        except KeyboardInterrupt:
            note(f"Stopped; the same command with run={name} continues the sweep")
            raise
        if not quiet:
            print_sweep(results, folder / "report.html")
        return results

    def _objective(self, trial: Trial, name: str) -> float:
        from cogames_training.sweeps.score import score_of

        tool = self.trial_tool(trial, name)
        with redirect_stdout(sys.stderr):  # stdout is for the results of the sweep
            is_interrupted = tool.invoke() == INTERRUPTED
        if is_interrupted:
            raise KeyboardInterrupt
        return score_of(trial.runs / tool.run_name(), self.metric)

    def _is_fixed(self, key: str) -> bool:
        """Return whether the settings differ from the default at a key."""
        current: Any = self
        default: Any = TrainTool()
        for part in key.split("."):
            current, default = getattr(current, part), getattr(default, part)
        return bool(current != default)


def print_sweep(results: SweepResults, report: Path) -> None:
    """Print the trials, best first, and the importance of the settings."""
    keys = [parameter.key for parameter in results.plan.parameters]
    names = [key.rpartition(".")[2] for key in keys]
    rows: list[Sequence[object]] = [
        (trial.number, _number(trial.score), *(_number(trial.values[key]) for key in keys))
        for trial in results.ranked()
    ]
    print_table(["Trial", results.plan.metric, *names], rows, title="Trials", right=range(len(keys) + 2))
    failed = [trial for trial in results.trials if trial.score is None]
    if failed:
        print_table(["Trial", "Problem"], [(trial.number, trial.problem) for trial in failed], title="Failed")
    if results.importance:
        shares = [(key, f"{100 * share:.0f} %") for key, share in results.importance.items()]
        print_table(["Setting", "Importance"], shares, title="Importance", right=[1])
    print(f"\nReport: {report}")


def _note_trial(result: TrialResult, trials: int) -> None:
    outcome = f"score {_number(result.score)}" if result.score is not None else f"failed: {result.problem}"
    note(f"Trial {result.number + 1} of {trials}: {outcome}")


def _number(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _nested(values: dict[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for key, value in values.items():
        *parents, last = key.split(".")
        target = nested
        for part in parents:
            target = target.setdefault(part, {})
        target[last] = value
    return nested
