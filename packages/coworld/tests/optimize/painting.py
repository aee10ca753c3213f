"""A Paint Arena player in one line of settings, and an arena that plays it without processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from coworld.examples.paintarena.rules import Arena as Board
from coworld.examples.paintarena.rules import Config, sweep_move
from coworld.optimize import Condition, ImproverFailed, Played, Task, optimize

CHANGES = ["row", "stay", "sweep"]
"""what the scripted improver makes of the player: better, worse, better"""


def improve(task: Task) -> str:
    if task.iteration >= len(CHANGES):
        raise ImproverFailed("no more ideas")
    (task.workspace / "strategy.txt").write_text(CHANGES[task.iteration])
    return f"try {CHANGES[task.iteration]}"


def move(strategy: str, slot: int, x: int, y: int, width: int, height: int) -> str:
    if strategy == "sweep":
        return sweep_move(slot, x, y, width, height)
    if strategy == "row":
        return "right" if slot == 0 else "left"
    return "stay"


class InOneProcess:
    """Plays a version against a sweeper by the rules alone."""

    def conditions(self, first: int, count: int) -> list[Condition]:
        return [Condition(f"{6 + number % 5}x8", number % 2, number) for number in range(first, first + count)]

    async def play(self, version: Path, condition: Condition, workspace: Path) -> Played:
        await asyncio.sleep(0)
        strategy = (version / "strategy.txt").read_text()
        width, height = (int(part) for part in str(condition.variant).split("x"))
        board = Board(Config(width=width, height=height, max_ticks=30))
        while not board.over:
            board.step(
                [
                    move(strategy if slot == condition.slot else "sweep", slot, x, y, width, height)
                    for slot, (x, y) in enumerate(board.positions)
                ]
            )
        workspace.mkdir(parents=True)
        tiles = {"scores": board.scores, "painted_tiles": board.scores, "ticks": board.tick}
        (workspace / "results.json").write_text(json.dumps(tiles))
        return Played(float(board.scores[condition.slot]), workspace=workspace)


class Deadly(InOneProcess):
    """The same, but the process dies in the middle of one step: an episode, or the improver's work."""

    def __init__(self, last: int) -> None:
        self.left = last

    def step(self) -> None:
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    async def play(self, version: Path, condition: Condition, workspace: Path) -> Played:
        played = await super().play(version, condition, workspace)
        self.step()
        return played

    def improve(self, task: Task) -> str:
        (task.workspace / "half a file").write_text("...")
        self.step()
        (task.workspace / "half a file").unlink()
        return improve(task)


if __name__ == "__main__":  # painting.py PLAYER STATE STEPS: die after so many steps
    arena = Deadly(int(sys.argv[3]))
    optimize(Path(sys.argv[1]), arena, arena.improve, state=Path(sys.argv[2]), iterations=4, pairs=4)
