"""The same plan gives the same bytes: with any number of workers, and after kills at any stage."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from packages.cogames.tests.ladder.conftest import mover

pytestmark = pytest.mark.slow

POLICIES = [mover(2), "players.SetWalker", "class=players.Killer,kw.moves=8", "players.Raiser"]
WORDS = [word for policy in POLICIES for word in ("-p", policy)]
WORDS += ["-m", "moves.py", "-m", "versus.py", "-e", "2", "--replays", "3", "-o", "out"]


def play(work: Path, jobs: int, kill_at: int | None = None, *more: str) -> int:
    """Run the ladder in a process of its own and return its exit code."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"}
    if kill_at is not None:
        variables["LADDER_KILL_AT"] = str(kill_at)
    command = [sys.executable, "-m", "cogames", "ladder", *WORDS, *more, "-j", str(jobs)]
    return subprocess.run(command, cwd=work, env=variables, capture_output=True).returncode


def taken(work: Path) -> dict[str, bytes]:
    """Return all files of the ladder, and remove them."""
    out = work / "out"
    files = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    shutil.rmtree(out)
    return files


def test_workers_and_kills_do_not_change_a_byte(work: Path) -> None:
    assert play(work, jobs=1) == 0
    expected = taken(work)
    games = sum(name.startswith("games/") for name in expected)
    assert games == 4 * 2 + 6 * 2 * 2
    assert sum(name.endswith(".cogreplay") for name in expected) == 3
    assert play(work, jobs=2) == 0
    assert taken(work) == expected
    # Killed at the first game, in the middle, and while it records replays; then continued.
    for jobs, kill_at in ((1, 0), (2, games // 2), (2, games)):
        assert play(work, jobs, kill_at) == -signal.SIGKILL, kill_at
        assert len(list((work / "out" / "games").glob("*.json"))) >= kill_at
        assert not (work / "out" / "results.json").exists()
    assert play(work, jobs=2) == 0
    assert taken(work) == expected


def test_damaged_and_unfinished_files_are_played_again(work: Path) -> None:
    swiss = ("--system", "swiss", "--rounds", "2")
    assert play(work, 2, None, *swiss) == 0
    out = work / "out"
    expected = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    first, second, *_ = sorted((out / "games").iterdir())
    first.write_bytes(first.read_bytes()[:100])
    second.unlink()
    (out / "games" / ".00-000-02.json.part").write_text("{")
    replay = next((out / "replays").glob("*.json"))
    replay.unlink()
    assert play(work, 1, None, *swiss) == 0
    (out / "games" / ".00-000-02.json.part").unlink(missing_ok=True)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == expected
