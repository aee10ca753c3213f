"""Two processes on one machine train one network."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from cogames_training.args import SettingError
from cogames_training.distributed import ONE_PROCESS
from cogames_training.trainer import _normalized

WORKER = '''
"""Run some trainings in each process; save its weights and what it raised."""

import json
import os
import sys
from pathlib import Path

import torch

torch.set_num_threads(1)
from cogames_training import training
from cogames_training.args import TrainArgs
from cogames_training.distributed import join_processes
from cogames_training.trainer import _normalized

folder, rank = Path(sys.argv[1]), int(os.environ["RANK"])
plan = json.loads((folder / "plan.json").read_text())
make_trainer = training.make_trainer
made = []


def watched(args, prepared, processes):
    trainer = make_trainer(args, prepared, processes)
    made.append(trainer)
    if broken and rank == 1:
        collect = trainer.rollout.collect

        def with_a_hole(kinds):
            experience = collect(kinds)
            experience.steps.rewards[0, 0] = float("nan")
            return experience

        trainer.rollout.collect = with_a_hole
    return trainer


training.make_trainer = watched
for run, epochs, broken, settings in plan:
    try:
        result = training.train(
            TrainArgs(**settings),
            run=run,
            checkpoints=folder,
            tell=lambda text: None,
            stop=lambda report: rank == 0 and report.epoch >= epochs,
        )
        outcome = [str(result.run), result.epochs, result.agent_steps, result.is_finished]
    except training.TrainingStopped as error:
        outcome = str(error)
    torch.save({"outcome": outcome, "weights": made[-1].weights()}, folder / f"{run}-{epochs}-{rank}.pt")

values, weights = torch.load(folder / "advantages.pt")
normalized = _normalized(values[rank::2], weights[rank::2], join_processes("cpu"))
torch.save(normalized, folder / f"normalized-{rank}.pt")
'''

SMALL = {"missions": ["tutorial.miner"], "cogs": 2, "policy": "class=sparse", "parallel_envs": 2, "horizon": 8}
SMALL |= {"minibatch_size": 16, "maps": 2, "device": "cpu", "threads": 1, "seed": 5, "total_steps": 192}
LED = {"teacher": "miner", "teacher_led_proportion": 1.0, "teacher_steps": 10**9, "sampling": "sequential"}
LED |= {"minibatch_size": 999, "optimizer": "sgd_schedulefree", "schedule": "constant", "learning_rate": 0.05}
OPPOSED = {"missions": ["teams.json"], "cogs": None, "opponents": ["self"], "checkpoint_every": 1, "minibatch_size": 24}
PLAN = [
    ["broken", 999, True, SMALL],
    ["whole", 999, False, SMALL],
    ["again", 999, False, SMALL],
    ["parts", 2, False, SMALL],
    ["parts", 999, False, SMALL],
    ["led", 999, False, SMALL | LED],
    ["opposed", 999, False, SMALL | OPPOSED],
    ["opposed parts", 2, False, SMALL | OPPOSED],
    ["opposed parts", 999, False, SMALL | OPPOSED],
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory, two_teams) -> Path:
    """Return a folder with what two processes have done."""
    folder = tmp_path_factory.mktemp("two")
    two_teams(folder)
    (folder / "worker.py").write_text(WORKER)
    (folder / "plan.json").write_text(json.dumps(PLAN))
    generator = torch.Generator().manual_seed(1)
    values, weights = torch.randn(4, 8, generator=generator), torch.rand(4, 8, generator=generator).round()
    torch.save((values, weights), folder / "advantages.pt")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = subprocess.run(
        [*launcher, folder / "worker.py", folder],
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def outcome(folder: Path, name: str, rank: int) -> object:
    return torch.load(folder / f"{name}-{rank}.pt")["outcome"]


def assert_same_weights(folder: Path, *names: str) -> None:
    first, *others = [torch.load(folder / f"{name}.pt")["weights"] for name in names]
    for other in others:
        for name, tensor in first.items():
            assert torch.equal(tensor, other[name]), name


def curve(folder: Path, run: str) -> list[dict]:
    timings = ("seconds", "uptime", "phases")
    lines = [json.loads(line) for line in (folder / run / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in line.items() if name not in timings} for line in lines]


def test_both_processes_have_the_same_weights_and_count_all_steps(runs):
    assert_same_weights(runs, "whole-999-0", "whole-999-1")
    for rank in (0, 1):
        assert outcome(runs, "whole-999", rank) == [str(runs / "whole"), 3, 192, True]
    assert [line["agent_steps"] for line in curve(runs, "whole")] == [64, 128, 192]


def test_a_seed_repeats_a_run_of_two_processes(runs):
    assert_same_weights(runs, "whole-999-0", "again-999-0")
    assert curve(runs, "whole") == curve(runs, "again")


def test_two_processes_stop_together_and_continue_exactly(runs):
    for rank in (0, 1):
        assert outcome(runs, "parts-2", rank) == [str(runs / "parts"), 2, 128, False]
    assert_same_weights(runs, "whole-999-0", "parts-999-0", "parts-999-1")
    assert curve(runs, "whole") == curve(runs, "parts")


def test_two_processes_train_against_opponents(runs):
    assert_same_weights(runs, "opposed-999-0", "opposed-999-1", "opposed parts-999-0", "opposed parts-999-1")
    assert curve(runs, "opposed") == curve(runs, "opposed parts")
    assert [line["agent_steps"] for line in curve(runs, "opposed")] == [64, 128, 192]


def test_another_number_of_processes_cannot_continue_a_run(runs, small_run):
    with pytest.raises(SettingError, match="processes: the run parts has 2, not 1; start the same number"):
        small_run("parts", folder=runs, **SMALL)


def test_two_processes_with_half_the_worlds_learn_what_one_process_learns(runs, small_run):
    """The teacher acts in all rows, so the steps are the same; only the order of sums differs."""
    whole = small_run("led", **SMALL | LED | {"parallel_envs": 4})
    one = torch.load(whole.run / f"model_{whole.epochs:06d}.pt")
    two = torch.load(runs / "led-999-0.pt")["weights"]
    for name, tensor in one.items():
        torch.testing.assert_close(two[name], tensor, atol=1e-5, rtol=1e-4)


def test_advantages_are_normalized_over_both_processes(runs):
    values, weights = torch.load(runs / "advantages.pt")
    expected = _normalized(values, weights, ONE_PROCESS)
    for rank in (0, 1):
        torch.testing.assert_close(torch.load(runs / f"normalized-{rank}.pt"), expected[rank::2])


def test_a_number_that_is_not_finite_in_one_process_stops_both(runs):
    sentence = "Training stopped: a reward, value or probability of the rollout is not a finite number"
    assert outcome(runs, "broken-999", 1) == sentence
    assert str(outcome(runs, "broken-999", 0)).startswith(sentence)
    assert torch.load(runs / "broken" / "not_finite.pt")["rewards"].isnan().any()
