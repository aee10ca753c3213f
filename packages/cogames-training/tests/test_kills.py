"""A run that is killed at random moments and continued equals the run that was not. `TRAINING_KILLS` sets how often."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import torch

from cogames_training.runs.lines import read_metrics

KILLS = int(os.environ.get("TRAINING_KILLS", "1"))
SETTINGS = {"policy": "class=sparse", "total_steps": 32 * 30, "checkpoint_every": 2}
SETTINGS |= {"teacher": "miner", "teacher_led_proportion": 0.4, "student_led_proportion": 0.3, "teacher_steps": 800}

# Imports once, then forks for each line of settings: prints the process, and how it ended.
STARTER = """
import json, os, sys
from pathlib import Path
import torch
from cogames_training.args import TrainArgs
from cogames_training.training import train

torch.set_num_threads(1)
for line in sys.stdin:
    process = os.fork()
    if process == 0:
        train(TrainArgs(**json.loads(line)), run="killed", checkpoints=Path("."), tell=lambda text: None)
        os._exit(0)
    print(process, flush=True)
    print(os.waitpid(process, 0)[1], flush=True)
"""


def curve(run):
    reports = read_metrics(run)
    return json.dumps([(r.epoch, r.agent_steps, r.losses, r.episode, r.experience) for r in reports])


def test_a_run_that_is_killed_and_continued_equals_an_uninterrupted_one(small_run, small_settings, tmp_path):
    whole = small_run("whole", **SETTINGS)
    moments = random.Random(int(os.environ.get("TRAINING_KILLS_SEED", "7")))
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert starter.stdin is not None and starter.stdout is not None
    kills, status = 0, 1
    with starter:
        while status != 0:
            starter.stdin.write(json.dumps({**small_settings, **SETTINGS}) + "\n")
            starter.stdin.flush()
            process = int(starter.stdout.readline())
            if kills < KILLS:
                threading.Event().wait(moments.uniform(0.02, 0.6))
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            status = int(starter.stdout.readline())
            kills += status == signal.SIGKILL
            assert status in (0, signal.SIGKILL), starter.communicate()[1]
            if status == 0 and kills < KILLS:  # it was too fast to be killed: once more from the beginning
                assert curve(tmp_path / "killed") == curve(whole.run)
                for path in sorted((tmp_path / "killed").rglob("*"), reverse=True):
                    path.rmdir() if path.is_dir() else path.unlink()
                status = 1
    assert kills == KILLS
    assert curve(tmp_path / "killed") == curve(whole.run)
    first, second = (torch.load(tmp_path / name / "model_000030.pt") for name in ("whole", "killed"))
    assert list(first) == list(second) and all(torch.equal(first[name], second[name]) for name in first)
    assert json.loads((tmp_path / "killed" / "run.json").read_text())["status"] == "finished"
