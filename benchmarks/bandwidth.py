"""Measure how close a batch of 64 worlds comes to the machine's memory bandwidth.

Counted is what an agent-step must read and write at least, in the layout of `core/state/world.hpp`: the cells of its
window, what it sees there, the tokens. The limit is how often per second one core can copy that many bytes, between two
arrays far larger than its caches. Memory moves whole lines of 64 bytes, and a line that is written is first read; with
them counted instead, as if no line were still in a cache, the limit is lower. Both are estimates.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

import games
from engines import Answer, Bench, median, rates

GAMES = ("arena", "four_score")
WORLDS = 64
STEPS = 200
COPIED = 1 << 29  # bytes of each of the two arrays
LOOKS = 20  # steps at which observations are looked at

# Bytes in the layout of the engine.
CELL = 4 + 1  # which object stands there; borders of territory
OBJECT = 4 + 4 + 4  # which line shows it; when it was last seen, read and written
TOKEN = 3
AGENT = 4 + 4 + 4  # two actions and a reward
LINE = 64


class Job:
    """One thread on a batch of 64, and copies of large arrays in between."""

    def __init__(self, oracle: Path, game: str) -> None:
        self._batch = games.new_batch(games.load(oracle, game), WORLDS, auto_reset=False)
        self._program = self._batch.worlds[0].program
        rows = games.Actions(self._program.action_names, self._batch.num_agents).rows(STEPS)
        self._actions, self._vibe_actions = rows
        self._source, self._target = (np.ones(COPIED, np.uint8) for _ in range(2))

    def turn(self, count: bool = False) -> Answer:
        return self._count() if count else {**self._play(), "copied_per_second": self._copy()}

    def _restart(self) -> None:
        self._batch.reset(seeds=range(games.FIRST_SEED, games.FIRST_SEED + WORLDS))

    def _play(self) -> Answer:
        self._restart()
        start = time.process_time()
        self._batch.run(STEPS, actions=self._actions, vibe_actions=self._vibe_actions)
        return {"cpu_seconds": time.process_time() - start, "agent_steps": STEPS * self._batch.num_agents}

    def _copy(self) -> float:
        """Return the bytes read and written per second."""
        start = time.process_time()
        np.copyto(self._target, self._source)
        return 2 * COPIED / (time.process_time() - start)

    def _count(self) -> Answer:
        """Return the means per agent-step over steps of the same episodes."""
        self._restart()
        batch, tag = self._batch, self._program.feature_names.index("tag")
        before = _used(batch.observations)
        written, cleared, objects, tokens_of_objects = [], [], [], []
        every = STEPS // LOOKS
        for step in range(STEPS):
            batch.actions[:] = self._actions[step]
            batch.vibe_actions[:] = self._vibe_actions[step]
            batch.step()
            used = _used(batch.observations)
            written.append(used.mean())
            cleared.append(np.maximum(before - used, 0).mean())
            before = used
            if step % every == 0:
                seen, tokens = _objects(batch.observations, tag)
                objects.append(seen / batch.num_agents)
                tokens_of_objects.append(tokens / batch.num_agents)
        return {
            "cells": len(self._program.visible_offsets),
            "rows": len({row for row, _ in self._program.visible_offsets}),
            "objects": float(np.mean(objects)),
            "tokens_read": float(np.mean(tokens_of_objects)),
            "tokens_written": float(np.mean(written)),
            "tokens_cleared": float(np.mean(cleared)),
        }


def _used(observations: np.ndarray) -> np.ndarray:
    """Return the number of tokens of each agent."""
    return (observations[:, :, 1] != 255).sum(axis=1)


def _objects(observations: np.ndarray, tag: int) -> tuple[int, int]:
    """Return (objects seen by all agents together, tokens at their cells); an object is a cell with a tag."""
    locations, features = observations[:, :, 0], observations[:, :, 1]
    agents = np.broadcast_to(np.arange(len(observations))[:, None], locations.shape)
    places = agents.astype(np.int64) << 8 | locations
    seen = np.unique(places[features == tag])
    return len(seen), int((np.isin(places, seen) & (features != 255)).sum())


def measure(bench: Bench) -> dict[str, Any]:
    measured: dict[str, Any] = {"worlds": WORLDS}
    for game in GAMES:
        engine = bench.ours("bandwidth", game=game)
        counts = engine.turn(count=True)
        turns = [engine.turn() for _ in range(bench.turns)]
        engine.close()
        measured[game] = _report(game, counts, turns)
    return measured


def _report(game: str, counts: Answer, turns: list[Answer]) -> dict[str, Any]:
    cells, objects = counts["cells"], counts["objects"]
    read, written, cleared = (counts[f"tokens_{kind}"] for kind in ("read", "written", "cleared"))
    rows = counts["rows"]
    # (what, bytes, whole lines): a row of cells begins anywhere in a line, an object has a line in each of its arrays.
    moved = [
        (f"{cells} cells of the window, {CELL} bytes each", cells * CELL, 2 * rows + cells * CELL / LINE),
        (f"{objects:.1f} objects seen, {OBJECT} each", objects * OBJECT, objects * 3),
        (f"{read:.1f} tokens of objects read, {TOKEN} each", read * TOKEN, objects),
        (f"{written:.1f} tokens written, {TOKEN} each", written * TOKEN, 2 * (1 + written * TOKEN / LINE)),
        (f"{cleared:.1f} tokens cleared, {TOKEN} each", cleared * TOKEN, 2 * cleared * TOKEN / LINE),
        ("two actions and a reward", AGENT, AGENT / LINE),
    ]
    needed, lines = sum(size for _, size, _ in moved), sum(count for _, _, count in moved) * LINE
    copied, reached = median([turn["copied_per_second"] for turn in turns]), median(rates(turns))
    # Compare turns side by side, because other work slows both.
    fraction = needed * median([rates([turn])[0] / turn["copied_per_second"] for turn in turns])
    print(f"  {f'{game}, per agent-step':50}{'bytes':>12}{'in whole lines':>18}")
    for what, size, count in [*moved, ("together", needed, lines / LINE)]:
        print(f"    {what:48}{size:>12,.0f}{count * LINE:>18,.0f}")
    print(f"  {'one core copies (read and written), GB per second':50}{copied / 1e9:>12.1f}")
    print(f"  {'so at most agent-steps per second':50}{copied / needed:>12,.0f}{copied / lines:>18,.0f}")
    print(f"  {'reached, per CPU second':50}{reached:>12,.0f}")
    print(f"  {'fraction of the limit':50}{fraction:>12.1%}{fraction * lines / needed:>18.1%}", flush=True)
    return {
        "bytes_per_agent_step": round(needed),
        "bytes_in_whole_lines": round(lines),
        **{name: round(value, 2) for name, value in counts.items()},
        "copied_bytes_per_second": round(copied),
        "reached": round(reached),
        "limit": round(copied / needed),
        "fraction": round(fraction, 4),
        "limit_in_whole_lines": round(copied / lines),
        "fraction_in_whole_lines": round(fraction * lines / needed, 4),
    }
