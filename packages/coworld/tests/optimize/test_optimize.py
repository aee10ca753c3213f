"""The improve, run, compare loop."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from coworld.manifest.package import load_package
from coworld.optimize import (
    Condition,
    EpisodeArena,
    ImproverFailed,
    OptimizeError,
    Played,
    Task,
    Versions,
    optimize,
    paired_interval,
    program,
)
from coworld.templates import write_template

from . import painting

HELPER = Path(__file__).with_name("painting.py")


@pytest.fixture
def player(tmp_path: Path) -> Path:
    folder = tmp_path / "player"
    folder.mkdir()
    (folder / "strategy.txt").write_text("stay")
    return folder


def test_the_interval_of_paired_differences_is_students() -> None:
    interval = paired_interval([1.0, 2.0, 3.0, 4.0])
    half = 3.182446 * math.sqrt(5 / 3) / 2
    assert interval.low == pytest.approx(2.5 - half) and interval.high == pytest.approx(2.5 + half)
    assert interval.above_zero
    assert paired_interval([3.0, 3.0]).above_zero and not paired_interval([0.0, 0.0, 0.0]).above_zero
    assert not paired_interval([9.0, -1.0, 2.0]).above_zero
    with pytest.raises(ValueError, match="at least 2 pairs"):
        paired_interval([1.0])


def test_a_better_change_is_kept_and_a_worse_one_is_not(tmp_path: Path, player: Path) -> None:
    said: list[str] = []
    arena, state = painting.InOneProcess(), player / "state"  # not part of the player
    outcome = optimize(player, arena, painting.improve, state=state, iterations=4, pairs=4, tell=said.append)
    assert outcome == optimize(player, arena, painting.improve, state=state, iterations=4, pairs=4), "it was done"
    assert [one["kept"] for one in outcome.decisions] == [True, False, True, False]
    assert (outcome.best_folder / "strategy.txt").read_text() == "sweep"
    assert (player / "strategy.txt").read_text() == "stay", "the player's own folder is left alone"
    assert [line.split(":")[1].strip() for line in said] == ["kept", "rejected", "kept", "rejected"]
    assert "no more ideas" in said[3]
    summary = json.loads((state / "summary.json").read_text())
    assert summary["best"] == outcome.best and [one["note"] for one in summary["iterations"]][:1] == ["try row"]
    Versions(state / "versions").write(outcome.best, player)
    assert (player / "strategy.txt").read_text() == "sweep"


def test_a_run_killed_at_any_point_goes_on_to_the_same_end(tmp_path: Path, player: Path) -> None:
    arena = painting.InOneProcess()
    whole = optimize(player, arena, painting.improve, state=tmp_path / "whole", iterations=4, pairs=4)
    state, deaths = tmp_path / "killed", 0
    # The steps in which a run dies: its first episode, the improver's work, an episode of the new version, ...
    for steps in (0, 4, 6, 3, 9):
        done = subprocess.run([sys.executable, HELPER, player, state, str(steps)], capture_output=True, text=True)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        deaths += 1
        with (state / "journal.jsonl").open("ab") as journal:
            journal.write(b'{"kind": "decision", "iter')  # and it died while writing
    assert deaths >= 4
    again = optimize(player, arena, painting.improve, state=state, iterations=4, pairs=4)
    assert list(again.decisions) == list(whole.decisions) and again.best == whole.best
    assert (state / "summary.json").read_bytes() == (tmp_path / "whole" / "summary.json").read_bytes()
    lines = [json.loads(line) for line in (state / "journal.jsonl").read_text().splitlines()]
    played = [(line["iteration"], line["version"], line["index"]) for line in lines if line["kind"] == "episode"]
    assert len(played) == len(set(played)), "no episode that was finished is played again"


def test_a_folder_of_another_run_is_refused(tmp_path: Path, player: Path) -> None:
    arena, state = painting.InOneProcess(), tmp_path / "state"
    optimize(player, arena, painting.improve, state=state, iterations=1, pairs=2)
    with pytest.raises(OptimizeError, match="another conditions and pairs"):
        optimize(player, arena, painting.improve, state=state, iterations=1, pairs=4)
    (player / "strategy.txt").write_text("row")
    with pytest.raises(OptimizeError, match="another version"):
        optimize(player, arena, painting.improve, state=state, iterations=1, pairs=2)

    def busy(task: Task) -> None:
        optimize(player, arena, painting.improve, state=tmp_path / "busy", iterations=1, pairs=2)

    with pytest.raises(OptimizeError, match="in use by another run"):
        optimize(player, arena, busy, state=tmp_path / "busy", iterations=1, pairs=2)


def test_an_improver_can_be_a_program_and_is_told_what_was_found(tmp_path: Path, player: Path) -> None:
    script = tmp_path / "improve.py"
    script.write_text(
        "import json, os, pathlib\n"
        "grades = os.environ['COGAME_GRADER_OUTPUT_URIS'].split(',')\n"
        "assert 'report-0.zip' in os.environ['COGAME_REPORT_URIS']\n"
        "assert 'diagnosis-0.zip' in os.environ['COGAME_DIAGNOSER_OUTPUT_URIS']\n"
        "grade = json.loads(pathlib.Path(grades[0].removeprefix('file://')).read_text())\n"
        "pathlib.Path('strategy.txt').write_text('sweep')\n"
        "print('read a grade of', grade['score'])\n"
    )

    class Scored(painting.InOneProcess):
        async def play(self, version: Path, condition: Condition, workspace: Path) -> Played:
            played = await super().play(version, condition, workspace)
            (workspace / "results.json").write_text(json.dumps({"scores": [played.score, 5.0]}))
            return played

    improver = program([sys.executable, str(script)])
    outcome = optimize(player, Scored(), improver, state=tmp_path / "state", iterations=1, pairs=4)
    assert outcome.kept == 1
    note = json.loads((tmp_path / "state" / "summary.json").read_text())["iterations"][0]["note"]
    assert note.startswith("read a grade of 0.")
    with pytest.raises(ImproverFailed, match="ended with status 3: no"):
        program([sys.executable, "-c", "import sys; sys.exit(print('no', file=sys.stderr) or 3)"])(Task(player, 0, 0))


WEAK, BETTER, BROKEN, BEST = (
    'def choose(state: dict) -> str:\n    return "stay"\n\n\n',
    'def choose(state: dict) -> str:\n    return "right" if state["slot"] == 0 else "left"\n\n\n',
    'def choose(state: dict) -> str:\n    raise SystemExit(1)\n\n\n',
    'def choose(state: dict) -> str:\n    x, y = state["positions"][state["slot"]]\n'
    '    way = ("right", "left", "down") if state["slot"] == 0 else ("left", "right", "up")\n'
    '    ahead = way[y % 2]\n'
    '    return way[2] if x == (state["width"] - 1 if ahead == "right" else 0) else ahead\n\n\n',
)  # fmt: skip


def rewrite(folder: Path, choose: str) -> None:
    """Put another `choose` into the player made from the Python template."""
    text = (folder / "player.py").read_text()
    start, end = text.index("def choose"), text.index("def main")
    (folder / "player.py").write_text(text[:start] + choose + text[end:])


@pytest.mark.slow
def test_a_weak_paint_arena_player_gets_better_in_real_episodes(tmp_path: Path) -> None:
    """Three iterations through the runner: a better player is kept, one that crashes is rejected, a better one kept."""
    folder = tmp_path / "weak"
    write_template("python", folder, name="weak")
    rewrite(folder, WEAK)

    def improve(task: Task) -> str:
        rewrite(task.workspace, (BETTER, BROKEN, BEST)[task.iteration])
        return ("walk", "crash", "sweep")[task.iteration]

    package = load_package(folder / "coworld_manifest.json")
    arena = EpisodeArena(package, variants=["quick-small"], budget_seconds=60)
    outcome = optimize(folder, arena, improve, state=tmp_path / "state", iterations=3, pairs=3, workers=2)
    assert [one["kept"] for one in outcome.decisions] == [True, False, True]
    assert "broke 3 of 3 episodes" in outcome.decisions[1]["reason"]
    assert outcome.decisions[0]["low"] > 0 and outcome.decisions[2]["low"] > 0
    assert BEST in (outcome.best_folder / "player.py").read_text()


def test_an_arena_plays_every_variant_and_seat_in_turn() -> None:
    from coworld.manifest.installed_worlds import manifest_of

    manifest = manifest_of("paintarena")
    assert manifest is not None
    arena = EpisodeArena(load_package(manifest), variants=["quick", "quick-small"])
    found = [(one.variant, one.slot, one.seed) for one in arena.conditions(0, 5)]
    assert found == [("quick", 0, 0), ("quick-small", 0, 1), ("quick", 1, 2), ("quick-small", 1, 3), ("quick", 0, 4)]
