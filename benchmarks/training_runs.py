"""Run a trainer as a command, and measure its CPU time and check what it trained."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch

AGENTS = 8
HORIZON = 64
MINIBATCH = 4096


@dataclass(frozen=True)
class Trainer:
    """A command that trains, and the lengths of its runs."""

    name: str
    program: Path
    mission: str
    network: str
    worlds: int
    steps: tuple[int, int]
    """agent steps of a short and a long run, rounded to whole updates"""
    imports_from: str = ""
    """a folder of modules for the command"""

    @property
    def update(self) -> int:
        """Agent steps per update."""
        return self.worlds * AGENTS * HORIZON

    @property
    def lengths(self) -> tuple[int, int]:
        """Updates of a short and a long run."""
        short, long = (max(1, steps // self.update) for steps in self.steps)
        return short, max(short + 1, long)


@dataclass(frozen=True)
class Run:
    """The cost of one run, from the start of its process to its end."""

    steps: int
    """of agents"""
    cpu_seconds: float
    """user and system, of the process and its children"""
    seconds: float
    parameters: int


def environment(threads: int, *, passive: bool = False) -> dict[str, str]:
    """Return the variables of a process that computes with this many threads."""
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    variables = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    variables |= dict.fromkeys(names, str(threads)) | {"WANDB_MODE": "disabled"}
    return variables | {"OMP_WAIT_POLICY": "PASSIVE"} if passive else variables


def train(trainer: Trainer, updates: int, folder: Path, threads: int, variables: dict[str, str]) -> Run:
    """Train for a number of updates. Raises `RuntimeError` if the command fails or has trained less or more."""
    checkpoints = Path(tempfile.mkdtemp(dir=folder))
    command = [str(trainer.program), "tutorial", "train", "-m", trainer.mission, "-p", f"class={trainer.network}"]
    command += ["--device", "cpu", "--parallel-envs", str(trainer.worlds), "--minibatch-size", str(MINIBATCH)]
    command += [
        "--num-workers",
        str(threads),
        "--steps",
        str(updates * trainer.update),
        "--checkpoints",
        str(checkpoints),
    ]
    before, began = _cpu_seconds(), time.perf_counter()
    env = {**variables, "PYTHONPATH": trainer.imports_from}
    result = subprocess.run(command, cwd=checkpoints, env=env, capture_output=True, text=True)
    seconds, cpu_seconds = time.perf_counter() - began, _cpu_seconds() - before
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{(result.stdout + result.stderr)[-2000:]}")
    parameters = _check(trainer, updates, checkpoints)
    shutil.rmtree(checkpoints)
    return Run(updates * trainer.update, cpu_seconds, seconds, parameters)


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _check(trainer: Trainer, updates: int, checkpoints: Path) -> int:
    """Compare the saved counts with those of the run; return the number of weights of the network."""
    (file,) = checkpoints.glob("*/trainer_state.pt")
    state = torch.load(file, weights_only=True)
    optimizer = state["optimizer_state_dict"]["state"]
    found = {
        "agent steps": state["agent_step"],
        "updates": state["update"],
        "gradient steps": max(int(weight["step"]) for weight in optimizer.values()),
    }
    expected = {
        "agent steps": updates * trainer.update,
        "updates": updates,
        "gradient steps": updates * trainer.update // MINIBATCH,
    }
    if found != expected:
        raise RuntimeError(f"{trainer.name} trained {found}, expected {expected}")
    weights = torch.load(file.parent / state["model_name"], weights_only=True)
    return sum(weight.numel() for weight in weights.values())
