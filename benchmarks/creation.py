"""Measure the CPU time to create and reset a world, and to save and restore its state: medians of many runs."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import games
from engines import Answer, Bench, median

PROCESSES = 3
GAMES = ("arena", "four_score")
BATCH = 64


class Job:
    def __init__(self, oracle: Path, game: str) -> None:
        self._config = games.load(oracle, game)

    def turn(self) -> Answer:
        """Return CPU milliseconds per operation. The first simulation of a process is slower, so a turn has one."""
        config = self._config
        measured = {
            "first `Simulation(config)`": _cost(lambda: games.Simulation(config, seed=1), times=1),
            "another `Simulation(config)`": _cost(lambda: games.Simulation(config, seed=1), times=5),
        }
        return measured | _of_ours(config) if hasattr(games.Simulation(config)._c_sim, "snapshot") else measured


def _of_ours(config: games.MettaGridConfig) -> Answer:
    from mettagrid.batch import Batch
    from mettagrid.compiler import compile

    program = compile(config)
    rows = games.map_rows(config)
    start = program.map(rows)
    world, branch = (program.world(start, seed) for seed in range(2))
    with Batch([world]) as played:
        played.run(200, seed=1)
    kept = world.snapshot()

    def worlds() -> list[Any]:
        return [program.world(start, seed) for seed in range(BATCH)]

    batch = Batch(worlds())
    return {
        "`compile(config)`": _cost(lambda: compile(config), times=3),
        "`Program.map(rows)`": _cost(lambda: program.map(rows), times=20),
        "`Program.world(rows, seed)`": _cost(lambda: program.world(rows, 1), times=20),
        # Use many worlds in the order of their creation: a single one would stay in the caches.
        "`Program.world(map, seed)`": _cost(worlds, times=10, each=BATCH),
        "`Batch.reset()`, per world": _cost(batch.reset, times=10, each=BATCH),
        "`snapshot()`": _cost(world.snapshot, times=100),
        "`restore(snapshot)`": _cost(lambda: branch.restore(kept), times=100),
        "`clone()`": _cost(world.clone, times=100),
        "`copy_from(world)`": _cost(lambda: branch.copy_from(world), times=200),
        "`state_hash()`": _cost(world.state_hash, times=100),
    }


def _cost(call: Callable[[], object], *, times: int, each: int = 1) -> float:
    """Return the median CPU milliseconds of a call, or of each of its operations."""
    costs = []
    for _ in range(times):
        start = time.process_time_ns()
        call()
        costs.append((time.process_time_ns() - start) / 1e6 / each)
    return median(costs)


def measure(bench: Bench) -> dict[str, Any]:
    measured: dict[str, Any] = {"processes": PROCESSES}
    for game in GAMES:
        turns: list[list[Answer]] = []
        for _ in range(PROCESSES):
            engines = [bench.ours("creation", game=game), *bench.published("creation", game=game)]
            turns.append([engine.turn() for engine in engines])
            for engine in engines:
                engine.close()
        columns = [
            {thing: median([turn[thing] for turn in side]) for thing in side[0]} for side in zip(*turns, strict=True)
        ]
        print(f"  {f'{game}, CPU milliseconds':34}{'ours':>12}{'published' * (len(columns) > 1):>12}")
        for thing in columns[0]:
            print(f"  {thing:34}" + "".join(f"{c[thing]:>12.3f}" for c in columns if thing in c), flush=True)
        sides = ({thing: round(cost, 4) for thing, cost in column.items()} for column in columns)
        measured[game] = dict(zip(("ours", "published"), sides, strict=False))
    return measured
