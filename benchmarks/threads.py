"""Measure the speed-up of a batch of 64 with more threads, by wall time.

Every turn plays the same steps from the start. Other work takes cores away, so beside the ratio stands what was there
to be had: two processes with half the work each, side by side, and how many cores a turn got (CPU time by clock time).
CPU time says whether threads cost work of their own, however busy the machine is.
"""

import os
import time
from pathlib import Path
from typing import Any

import games
from engines import Answer, Bench, Engine, median, ratios

GAME = "arena"
WORLDS = 64
STEPS = 60
TURNS = 5  # times the turns of the other parts; these are short


class Job:
    def __init__(self, oracle: Path, worlds: int, threads: int, way: str) -> None:
        self._way = way
        self._batch = games.new_batch(games.load(oracle, GAME), worlds, threads=threads, auto_reset=False)
        names = self._batch.worlds[0].action_names
        self._rows, self._vibe_rows = games.Actions(names, self._batch.num_agents).rows(STEPS)

    def turn(self) -> Answer:
        batch = self._batch
        batch.reset(seeds=range(len(batch.worlds)))
        start, cpu_start = time.perf_counter(), time.process_time()
        if self._way == "run":
            batch.run(STEPS, actions=self._rows, vibe_actions=self._vibe_rows)
        else:
            for row, vibe_row in zip(self._rows, self._vibe_rows, strict=True):
                batch.actions[:] = row
                batch.vibe_actions[:] = vibe_row
                batch.step()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        return {"seconds": seconds, "cpu_seconds": cpu_seconds}


def measure(bench: Bench) -> dict[str, Any]:
    counts = [count for count in (1, 2, 4) if count <= (os.cpu_count() or 1)]
    measured: dict[str, Any] = {"worlds": WORLDS, "steps": STEPS}
    print(f"  {'':42}{'times as quick as one thread':>28}{'cores it got':>16}{'CPU time,':>12}")
    print(f"  {'':42}{'best turns':>18}{'median':>10}{'best':>8}{'median':>8}{'of one':>12}")
    for way in ("run", "step"):
        engines = {count: bench.ours("threads", worlds=WORLDS, threads=count, way=way) for count in counts}
        halves = [bench.ours("threads", worlds=WORLDS // 2, threads=1, way=way) for _ in range(2)]
        pairs = []
        for _ in range(TURNS * bench.turns):
            for engine in engines.values():
                engine.turn()
            pairs.append(_side_by_side(halves))
        for engine in (*engines.values(), *halves):
            engine.close()
        one = engines[1].answers
        rows = {f"`{way}`, {count} threads": engines[count].answers for count in counts[1:]}
        rows[f"`{way}`, two processes with 32 worlds each"] = pairs
        measured[way] = {title: _report(title, one, answers) for title, answers in rows.items()}
    return measured


def _side_by_side(engines: list[Engine]) -> Answer:
    """Return the time of the slower of two concurrent processes."""
    for engine in engines:
        engine.begin()
    answers = [engine.end() for engine in engines]
    return {"seconds": max(a["seconds"] for a in answers), "cpu_seconds": sum(a["cpu_seconds"] for a in answers)}


def _report(title: str, one: list[Answer], many: list[Answer]) -> dict[str, Any]:
    cores = [answer["cpu_seconds"] / answer["seconds"] for answer in many]
    measured = {
        "best": min(a["seconds"] for a in one) / min(a["seconds"] for a in many),
        "median": median(ratios(one, many, "seconds")),
        "most_cores": max(cores),
        "cores": median(cores),
        "cpu_time": median(ratios(many, one)),
    }
    best, middle, most, had, cpu = measured.values()
    print(f"  {title:42}{best:>18.2f}{middle:>10.2f}{most:>8.2f}{had:>8.2f}{cpu:>12.2f}", flush=True)
    return {name: round(value, 2) for name, value in measured.items()}
