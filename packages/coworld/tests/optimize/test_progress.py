"""The progress of a run, as its journal and its lock tell it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from coworld.optimize import OptimizeError, Task, optimize
from coworld.optimize.findings import Analysis
from coworld.optimize.progress import progress

from . import painting


@pytest.fixture
def player(tmp_path: Path) -> Path:
    folder = tmp_path / "player"
    folder.mkdir()
    (folder / "strategy.txt").write_text("stay")
    return folder


def test_a_run_shows_its_phase_while_it_runs_and_its_decisions_afterwards(tmp_path: Path, player: Path) -> None:
    state = tmp_path / "state"
    seen: list[dict[str, Any]] = [progress(state)]

    class Watched(painting.InOneProcess):
        async def play(self, version: Path, condition: Any, workspace: Path) -> Any:
            seen.append(progress(state))
            return await super().play(version, condition, workspace)

    def improve(task: Task) -> str:
        seen.append(progress(state))
        return painting.improve(task)

    optimize(player, Watched(), improve, state=state, iterations=2, pairs=4)
    assert [one["status"] for one in seen] == ["new", *["running"] * 18]
    assert [one["phase"]["text"] for one in seen[1:10]] == [
        *(f"Playing the best version: {count} of 4 episodes" for count in range(4)),
        "Analyzing episodes and waiting for a proposal",
        *(f"Playing the candidate: {count} of 4 episodes" for count in range(4)),
    ]
    shares = [one["phase"]["share"] for one in seen[1:]]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] < 1
    done = progress(state)
    assert (done["status"], done["planned"], done["phase"]) == ("finished", 2, None)
    first, second = done["iterations"]
    assert first["kept"] and first["low"] > 0 and len(first["old"]) == len(first["new"]) == 4
    assert not second["kept"] and done["best"] == first["version"] != done["first"]
    assert [one["file"] for one in first["findings"][:2]] == ["episode-0.zip", "report-0.zip"]
    assert first["findings"][2]["error"].startswith("The default grader failed"), "its episodes have no replay"


def test_a_killed_run_is_interrupted_and_a_failed_or_stopped_one_says_so(tmp_path: Path, player: Path) -> None:
    state = tmp_path / "state"
    done = subprocess.run([sys.executable, painting.__file__, player, state, "5"], capture_output=True)
    assert done.returncode == -signal.SIGKILL
    with (state / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"kind": "decision", "iter')
    killed = progress(state)
    assert killed["status"] == "interrupted" and len(killed["iterations"][0]["old"]) == 4

    def unreachable(task: Task) -> str:
        raise OptimizeError("the disk is full")

    with pytest.raises(OptimizeError):
        optimize(player, painting.InOneProcess(), unreachable, state=tmp_path / "b", pairs=2)
    assert (progress(tmp_path / "b")["status"], progress(tmp_path / "b")["reason"]) == ("failed", "the disk is full")

    def stopped(task: Task) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        optimize(player, painting.InOneProcess(), stopped, state=tmp_path / "b", pairs=2)
    assert progress(tmp_path / "b")["status"] == "stopped"


def test_a_role_that_fails_leaves_its_reason_and_the_run_continues(tmp_path: Path, player: Path) -> None:
    class Broken:
        def analyze(self, bundle: Path, slot: int) -> list[Analysis]:
            return [
                Analysis("grader", "theirs", error="it broke"),
                Analysis("grader", "second", data=b'{"score": 0.5}'),
                Analysis("grader", "third", data=b'{"score": 1}'),
            ]

    warned: list[str] = []
    tasks: list[Task] = []

    def improve(task: Task) -> str:
        tasks.append(task)
        return painting.improve(task)

    state = tmp_path / "state"
    optimize(
        player,
        painting.InOneProcess(),
        improve,
        state=state,
        iterations=1,
        pairs=2,
        analyst=Broken(),
        warn=warned.append,
    )
    assert warned == ["iteration 0: it broke"] * 2
    assert [path.name for path in tasks[0].grades] == [
        "grade-0.json",
        "grade-0-1.json",
        "grade-1.json",
        "grade-1-1.json",
    ]
    graded = [one for one in progress(state)["iterations"][0]["findings"] if one["role"] == "grader"]
    assert [(one["id"], one["score"], one["error"]) for one in graded[:2]] == [
        ("theirs", None, "it broke"),
        ("second", 0.5, None),
    ]
    assert json.loads((state / "findings" / "0" / "grade-0.json").read_text()) == {"score": 0.5}
