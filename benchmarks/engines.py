"""Run our engine and the published one in separate processes that take turns, so that other work slows both."""

import json
import os
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

Answer = dict[str, Any]


class Engine:
    """A worker process with one job, and its answers."""

    def __init__(self, python: Path, part: str, oracle: Path, arguments: dict[str, Any]) -> None:
        self.answers: list[Answer] = []
        command = [str(python), "-W", "ignore", str(ROOT / "benchmarks" / "worker.py"), part, str(oracle)]
        env = {**os.environ, "METTAGRID_PROFILING": "1"} if part == "phases" else None
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        self.begin(**arguments)
        self._answer()

    def begin(self, **arguments: Any) -> None:
        """Start a turn; `end` waits for it."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(arguments) + "\n")
        self._process.stdin.flush()

    def end(self) -> Answer:
        self.answers.append(self._answer())
        return self.answers[-1]

    def turn(self, **arguments: Any) -> Answer:
        self.begin(**arguments)
        return self.end()

    def close(self) -> None:
        self._process.communicate()

    def _answer(self) -> Answer:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("bench: the process of an engine ended early; its message is above")
        return json.loads(line)


@dataclass
class Bench:
    """The setup that every part gets: how to start engines, and how much to measure."""

    oracle: Path
    ours_python: Path
    published_python: Path | None
    """None if it is not available: then ours is measured alone."""
    steps: int
    batch_steps: int | None
    turns: int

    def ours(self, part: str, **arguments: Any) -> Engine:
        return Engine(self.ours_python, part, self.oracle, arguments)

    def published(self, part: str, **arguments: Any) -> list[Engine]:
        """Yield the published engine, or nothing."""
        return [Engine(self.published_python, part, self.oracle, arguments)] if self.published_python else []


def take_turns(engines: Sequence[Engine], turns: int, **arguments: Any) -> None:
    for _ in range(turns):
        for engine in engines:
            engine.turn(**arguments)


def check_same_state(engines: Sequence[Engine]) -> None:
    """Check that all engines have equal observations and rewards at the end of each turn."""
    for turn, answers in enumerate(zip(*(engine.answers for engine in engines), strict=False)):
        if len({answer["digest"] for answer in answers}) != 1:
            raise SystemExit(f"bench: the engines differ after turn {turn + 1}, so their speeds mean nothing")


def rates(answers: Sequence[Answer]) -> list[int]:
    """Return the agent-steps per CPU second of each turn."""
    return [round(answer["agent_steps"] / answer["cpu_seconds"]) for answer in answers]


def ratios(slow: Sequence[Answer], fast: Sequence[Answer], kind: str = "cpu_seconds") -> list[float]:
    """Return the speed-up for each pair of turns side by side, per agent-step where turns count them."""

    def cost(answer: Answer) -> float:
        return answer[kind] / answer.get("agent_steps", 1)

    return [round(cost(a) / cost(b), 2) for a, b in zip(slow, fast, strict=False)]


def median(values: Sequence[float]) -> float:
    return statistics.median(values)
