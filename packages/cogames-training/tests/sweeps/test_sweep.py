"""Sweeps: repeatable, resumable after a kill, with a report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cogames_training.args import TrainArgs
from cogames_training.recipes import main
from cogames_training.reports.epoch import EpochReport
from cogames_training.sweeps import SweepError, SweepPlan, Trial, parse_search, run_sweep

pytest.importorskip("optuna")

PLAN = SweepPlan([parse_search("ent_coef", None), parse_search("trainer.optimizer.type", "adam,muon")], seed=7)


def score(trial: Trial) -> float:
    return -abs(trial.values["trainer.losses.ppo_actor.ent_coef"] - 0.01)


class Trainer:
    """Stands in for `cogames_training.training`: the reward is best at the entropy 0.01."""

    def __init__(self) -> None:
        self.runs: list[str | None] = []
        self.seeds: list[int] = []
        self.stops_after: int | None = None

    def train(self, args: TrainArgs, *, run: str | None, layout: str, checkpoints: Path) -> SimpleNamespace:
        self.runs.append(run)
        self.seeds.append(args.seed)
        folder = checkpoints / str(run)
        folder.mkdir(parents=True, exist_ok=True)
        steps = args.total_steps
        reports = [
            EpochReport(1, steps // 2, args.total_steps, 1.0, 1.0, episode={"reward": -5.0}),
            EpochReport(2, steps, args.total_steps, 1.0, 2.0, episode={"reward": -abs(args.ent_coef - 0.01)}),
        ]
        (folder / "metrics.jsonl").write_text("".join(report.to_json() + "\n" for report in reports))
        return SimpleNamespace(bundle=folder, is_finished=len(self.runs) != self.stops_after)


@pytest.fixture
def trainer(monkeypatch: pytest.MonkeyPatch) -> Trainer:
    fake = Trainer()
    monkeypatch.setitem(sys.modules, "cogames_training.training", SimpleNamespace(train=fake.train))  # type: ignore[misc]
    return fake


def test_a_stopped_sweep_continues_as_if_it_had_not_been_stopped(tmp_path: Path) -> None:
    whole = run_sweep(PLAN, tmp_path / "whole", score, trials=11)

    def stops(trial: Trial) -> float:
        if trial.number == 5:
            raise KeyboardInterrupt
        return score(trial)

    with pytest.raises(KeyboardInterrupt):
        run_sweep(PLAN, tmp_path / "parts", stops, trials=11)
    run_sweep(PLAN, tmp_path / "parts", score, trials=8)
    parts = run_sweep(PLAN, tmp_path / "parts", score, trials=11)
    assert [(t.number, t.values, t.seed, t.score) for t in parts.trials] == [
        (t.number, t.values, t.seed, t.score) for t in whole.trials
    ]
    assert len({trial.seed for trial in whole.trials}) == 11
    assert sum(whole.importance.values()) == pytest.approx(1)
    assert whole.ranked()[0].score == max(trial.score or -1.0 for trial in whole.trials)


def test_a_killed_sweep_continues(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from cogames_training.sweeps import SweepPlan, parse_search, run_sweep

        def objective(trial):
            if trial.number == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            return trial.values["trainer.losses.ppo_actor.ent_coef"]

        run_sweep(SweepPlan([parse_search("ent_coef", None)]), Path(sys.argv[1]), objective, trials=4)
        """
    )
    folder = tmp_path / "sweep"
    process = subprocess.run([sys.executable, "-c", program, str(folder)], check=False, env=dict(os.environ))
    assert process.returncode == -signal.SIGKILL
    plan = SweepPlan([parse_search("ent_coef", None)])
    key = "trainer.losses.ppo_actor.ent_coef"
    continued = run_sweep(plan, folder, lambda trial: trial.values[key], trials=4)
    whole = run_sweep(plan, tmp_path / "whole", lambda trial: trial.values[key], trials=4)
    assert [trial.score for trial in continued.trials] == [trial.score for trial in whole.trials]


def test_failed_trials_are_reported_and_count(tmp_path: Path) -> None:
    def objective(trial: Trial) -> float:
        if trial.number == 1:
            raise RuntimeError("the loss is <not> finite")
        return float("nan") if trial.number == 2 else score(trial)

    results = run_sweep(PLAN, tmp_path / "sweep", objective, trials=4)
    assert [trial.problem for trial in results.trials] == ["", "the loss is <not> finite", "overview/reward is nan", ""]
    report = (tmp_path / "sweep" / "report.html").read_text()
    assert "the loss is &lt;not&gt; finite" in report
    assert "http" not in report
    stored = json.loads((tmp_path / "sweep" / "results.json").read_text())
    assert [trial["score"] for trial in stored["trials"]] == [trial.score for trial in results.trials]


def test_a_sweep_whose_trials_all_fail_gives_up(tmp_path: Path) -> None:
    def objective(trial: Trial) -> float:
        raise ValueError("no such mission")

    with pytest.raises(SweepError, match="The first 3 trials failed: no such mission"):
        run_sweep(PLAN, tmp_path / "sweep", objective, trials=10)


def test_a_folder_with_another_plan_or_other_files_is_refused(tmp_path: Path) -> None:
    run_sweep(PLAN, tmp_path / "sweep", score, trials=1)
    with pytest.raises(SweepError, match="another sweep: its seed differ"):
        run_sweep(SweepPlan(PLAN.parameters, seed=8), tmp_path / "sweep", score, trials=1)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("")
    with pytest.raises(SweepError, match="belong to no sweep"):
        run_sweep(PLAN, tmp_path / "other", score, trials=1)


def test_the_recipe_searches_the_guides_ranges_that_are_not_fixed(
    trainer: Trainer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["cogsguard.sweep", "run=s", f"data_dir={tmp_path}", "trainer.total_timesteps=1_000_000", "trials=3"]
    assert main(words) == 0
    captured = capsys.readouterr()
    assert trainer.runs == ["s-000", "s-001", "s-002"]
    assert "trainer.batch_size=4096..2.09715e+06:pow2" in captured.err
    assert "total_timesteps=" not in captured.err
    assert "teacher" not in captured.err
    assert "Report:" in captured.out
    assert (tmp_path / "s" / "report.html").is_file()


def test_a_gracefully_stopped_run_stops_the_sweep_and_is_repeated(trainer: Trainer, tmp_path: Path) -> None:
    words = ["cogsguard.sweep", "run=s", f"data_dir={tmp_path}", "search.ent_coef=0.005..0.02", "trials=3"]
    trainer.stops_after = 2
    assert main(words) == 130
    trainer.stops_after = None
    assert main(words) == 0
    assert trainer.runs == ["s-000", "s-001", "s-001", "s-002"]
    assert trainer.seeds[1] == trainer.seeds[2]


def test_a_metric_that_does_not_exist_ends_the_sweep(
    trainer: Trainer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["cogsguard.sweep", "run=s", f"data_dir={tmp_path}", "search.ent_coef=", "metric=overview/rewards"]
    assert main(words) == 1
    assert "overview/reward" in capsys.readouterr().err
    assert main(["cogsguard.sweep", "search.teacher_led_proportion="]) == 1
    assert "needs a teacher" in capsys.readouterr().err


def test_the_command_searches_and_prints_a_document(trainer: Trainer, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from cogames.main import app

    words = ["--search", "ent_coef=0.005..0.02:log", "--search", "trainer.optimizer.type=adam,muon", "--trials", "2"]
    more = ["--run", "s", "--checkpoints", str(tmp_path), "--steps", "1000000", "--set", "trainer.batch_size=4096"]
    result = CliRunner().invoke(app, ["sweep", *words, *more, "--teacher", "miner", "--format", "json"])
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    assert len(document["trials"]) == 2
    assert document["plan"]["settings"]["trainer"]["batch_size"] == 4096
    assert document["plan"]["settings"]["teacher"]["policy_uri"] == "miner"


def test_without_optuna_a_sweep_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert main(["cogsguard.sweep", f"data_dir={tmp_path}"]) == 1
    assert 'pip install "cogames-training[sweep]"' in capsys.readouterr().err
