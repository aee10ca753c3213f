"""Compare the speed of our trainer with that of the published one, on the CPU, in agent steps per CPU second.

usage: training.py [--worlds 16] [--turns 2] [--threads N] [--passive] [--ours] [--record]

Three commands take turns: the published `cogames tutorial train -p class=lstm` (cogames 0.26.22, PufferLib 3.0.23),
ours with the same network and settings, and ours with `class=sparse`. All train `--worlds` worlds of the arena with 8
cogs, 512 agent steps per world and update, minibatches of 4096. The default of both commands is 256 worlds. The
published game package is not needed: each command reads the arena from a file with one map, so neither side generates
maps.

Every turn has a short and a long run of each command. The difference of their CPU times (user and system of the whole
process tree) is the cost of training without start-up; the whole long run is given as well. The long runs of the
commands differ in length, so they are also compared at equal numbers of steps, start-up included: those of the long
runs, with the cost of a step that the two runs of a command show. Each run must have saved the expected numbers of
agent steps and gradient steps, and both `lstm` networks must have as many weights.

`--threads`, by default the number of cores, is the number of threads of PyTorch on both sides (OMP_NUM_THREADS) and of
our engine; the published trainer steps its worlds in one thread. With two or more threads the published command spends
CPU time on waiting: its OpenMP threads spin, and more so on a busy machine. Our trainer lets them sleep
(OMP_WAIT_POLICY=PASSIVE). `--passive` sets this for both sides; with `--threads 1` no thread waits.

`--ours` leaves out the published command, which takes most of the time.

The CPU time of a step of `sparse` for 8 cogs in NumPy, on one thread, is measured as well. The first use installs the
published packages in `.cache/`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from published import published_trainer_python  # noqa: E402
from record import record  # noqa: E402
from scrimmage import OURS, write_missions  # noqa: E402
from training_runs import Run, Trainer, environment, train  # noqa: E402

EPISODE = 1000  # steps, as in the arena
# Agent steps of a short and a long run.
PUBLISHED_STEPS = (16_384, 81_920)
OUR_STEPS = (32_768, 327_680)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=16, help="a multiple of 8")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--passive", action="store_true", help="let the waiting threads of both sides sleep")
    parser.add_argument("--ours", action="store_true", help="measure our commands only")
    parser.add_argument("--record", action="store_true", help="add a line to results/training.jsonl")
    options = parser.parse_args()
    published = None if options.ours else published_trainer_python().with_name("cogames")
    variables = environment(options.threads, passive=options.passive)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files, worlds = write_missions(folder, EPISODE), options.worlds
        trainers = [
            Trainer("ours lstm", OURS, files["ours"], "lstm", worlds, OUR_STEPS),
            Trainer("ours sparse", OURS, files["ours"], "sparse", worlds, OUR_STEPS),
        ]
        if published is not None:
            # The folder has the empty game that the published command imports.
            program = (published, files["published"])
            trainers.insert(0, Trainer("published lstm", *program, "lstm", worlds, PUBLISHED_STEPS, str(folder)))
        turns = [take_turn(trainers, folder, options.threads, variables) for _ in range(options.turns)]
    rows = [summary(trainer, [turn[trainer.name] for turn in turns]) for trainer in trainers]
    if not options.ours and rows[0]["parameters"] != rows[1]["parameters"]:
        raise SystemExit(f"the lstm networks differ: {rows[0]['parameters']} and {rows[1]['parameters']} weights")
    show(rows)
    if not options.ours:
        show_equal_lengths(rows)
    inference = inference_time()
    print(
        f"a step of sparse for 8 cogs, one thread, NumPy: {inference['mean_ms']} ms, worst {inference['worst_ms']} ms"
    )
    if options.record:
        command = " ".join(["benchmarks/training.py", *sys.argv[1:]])
        part = "our trainer" if options.ours else "beside the published trainer"
        measured = {"part": part, "mission": "arena", "worlds": options.worlds}
        measured |= {"threads": options.threads, "passive": options.passive, "load": round(os.getloadavg()[0], 1)}
        print(f"recorded in {record('training', command, {**measured, 'rows': rows, 'inference': inference})}")


def take_turn(
    trainers: list[Trainer], folder: Path, threads: int, variables: dict[str, str]
) -> dict[str, tuple[Run, Run]]:
    """Return a short and a long run of each trainer."""
    turn = {}
    for trainer in trainers:
        short, long = (train(trainer, updates, folder, threads, variables) for updates in trainer.lengths)
        turn[trainer.name] = (short, long)
        print(
            f"{trainer.name:16} {short.steps:,} steps in {short.cpu_seconds:.1f} CPU s ({short.seconds:.1f} s), "
            f"{long.steps:,} in {long.cpu_seconds:.1f} ({long.seconds:.1f} s)",
            flush=True,
        )
    return turn


def summary(trainer: Trainer, turns: list[tuple[Run, Run]]) -> dict:
    """Return the rates of all turns together, and those of each turn."""
    trained = [long.steps - short.steps for short, long in turns]
    cpu_seconds = [long.cpu_seconds - short.cpu_seconds for short, long in turns]
    seconds = [long.seconds - short.seconds for short, long in turns]
    return {
        "trainer": trainer.name,
        "parameters": turns[0][1].parameters,
        "steps_per_cpu_second": round(sum(trained) / sum(cpu_seconds)),
        "each_turn": [round(steps / spent) for steps, spent in zip(trained, cpu_seconds, strict=True)],
        "steps_per_cpu_second_with_start": round(
            sum(long.steps for _, long in turns) / sum(long.cpu_seconds for _, long in turns)
        ),
        "steps_per_second": round(sum(trained) / sum(seconds)),
        "runs": [
            {"steps": run.steps, "cpu_seconds": round(run.cpu_seconds, 2), "seconds": round(run.seconds, 2)}
            for turn in turns
            for run in turn
        ],
    }


def show(rows: list[dict]) -> None:
    columns = {
        "steps_per_cpu_second": "per CPU second",
        "steps_per_cpu_second_with_start": "with start-up",
        "steps_per_second": "per second",
    }
    print(f"{'agent steps':16}" + "".join(f" {title:>22}" for title in columns.values()) + "  each turn")
    for row in rows:
        cells = (f"{row[name]:,} ({row[name] / rows[0][name]:.1f}x)" for name in columns)
        each = ", ".join(f"{rate:,}" for rate in row["each_turn"])
        print(f"{row['trainer']:16}" + "".join(f" {cell:>22}" for cell in cells) + f"  {each}")


def show_equal_lengths(rows: list[dict]) -> None:
    """Print how many times less CPU time each trainer of ours takes for the same number of steps, start-up included."""
    for steps in sorted({run["steps"] for row in rows for run in row["runs"][1:2]}):
        spent = {row["trainer"]: cpu_seconds(row, steps) for row in rows}
        published, *others = spent.values()
        times = ", ".join(f"{name} {published / own:.1f}x" for name, own in zip(list(spent)[1:], others, strict=True))
        print(f"{steps:,} steps on both sides, with start-up: {times}")


def cpu_seconds(row: dict, steps: int) -> float:
    """Return the mean CPU time of a run with this many steps."""
    short = row["runs"][::2]
    start = sum(run["cpu_seconds"] for run in short) / len(short)
    return start + (steps - short[0]["steps"]) / row["steps_per_cpu_second"]


def inference_time() -> dict:
    program = Path(__file__).with_name("training_inference.py")
    result = subprocess.run(
        [sys.executable, program], env=environment(1), check=True, stdout=subprocess.PIPE, text=True
    )
    numbers: dict = json.loads(result.stdout)
    return numbers


if __name__ == "__main__":
    main()
