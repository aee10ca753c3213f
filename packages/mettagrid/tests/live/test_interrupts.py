"""Ctrl-C while a game is in the browser: no traceback, and no internal messages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .conftest import PATIENCE

POLICY = """
import time
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Agent(AgentPolicy):
    steps = 0
    def step(self, obs):
        self.steps += 1
        if self.steps == 5:
            print("thinking", flush=True)
            time.sleep(1000)
        return Action(name="noop")

class Thinker(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info)
"""


class Program:
    """`python -m mettagrid.live`, and its output so far."""

    def __init__(self, process: subprocess.Popen[bytes], output: Path) -> None:
        self.process = process
        self._output = output

    @property
    def said(self) -> str:
        return self._output.read_text()

    def until(self, text: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while text not in self.said:
            assert time.monotonic() < deadline, self.said
            time.sleep(0.02)

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)


@contextmanager
def started(folder: Path, *options: str) -> Iterator[Program]:
    (folder / "thinking_policy.py").write_text(POLICY)
    command = [sys.executable, "-m", "mettagrid.live", "--no-browser", "--autostart", *options]
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(folder)},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        try:
            yield Program(process, folder / "output")
        finally:
            process.kill()
            process.wait()


def test_an_interrupt_ends_the_game_with_its_results(tmp_path: Path) -> None:
    with started(tmp_path) as program:
        program.until("#token=")
        program.interrupt()
        assert program.process.wait(PATIENCE) == 0
        first, _, last = program.said.splitlines()
        assert first == "Open this address in a browser:"
        assert last.startswith("Steps: ")


def test_a_policy_that_never_answers_is_left_with_a_second_interrupt(tmp_path: Path) -> None:
    with started(tmp_path, "--policy", "thinking_policy.Thinker", "--agents", "1") as program:
        program.until("thinking\n")
        program.interrupt()
        program.until("press Ctrl-C again to exit now\n")
        program.interrupt()
        assert program.process.wait(PATIENCE) == 130
        assert program.said.splitlines()[2:] == [
            "thinking",
            "The game ends after the policies' current step; press Ctrl-C again to exit now",
        ]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--policy", "nonsense"], "error: The policy nonsense could not be loaded"),
        (["--port", "99999"], "error: bind(): port must be 0-65535"),
        (["--agents", "1000"], "error: The map has 64 cells inside its border; 1000 agents do not fit"),
    ],
)
def test_what_cannot_be_played_is_a_sentence(tmp_path: Path, options: list[str], sentence: str) -> None:
    with started(tmp_path, *options) as program:
        assert program.process.wait(PATIENCE) == 1
        assert program.said.splitlines()[-1].startswith(sentence)
        assert "Traceback" not in program.said
