"""Measure memory per world: the growth of the process per created world after a few steps."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import games
from engines import Answer, Bench

GAMES = ("arena", "four_score")
WORLDS = 32
STEPS = 20


class Job:
    """`way`: "simulation", which both engines have, or "world", from a program and a map that they share."""

    def __init__(self, oracle: Path, game: str, way: str) -> None:
        self._config = games.load(oracle, game)
        self._kept: list[Any] = []
        self._new = self._world_maker() if way == "world" else self._simulation

    def turn(self) -> Answer:
        self._make(4)  # what the first worlds need once
        before = _resident()
        self._make(WORLDS)
        answer: Answer = {"kilobytes": round((_resident() - before) / WORLDS / 1e3, 1)}
        if hasattr(_engine(self._kept[0]), "world_bytes"):
            answer["block_kilobytes"] = _engine(self._kept[0]).world_bytes / 1e3
        return answer

    def _make(self, count: int) -> None:
        for seed in range(count):
            self._kept.append(self._new(seed))
            for _ in range(STEPS):
                _engine(self._kept[-1]).step()

    def _simulation(self, seed: int) -> games.Simulation:
        return games.Simulation(self._config, seed=seed)

    def _world_maker(self) -> Callable[[int], Any]:
        from mettagrid.compiler import compile

        program = compile(self._config)
        start = program.map(games.map_rows(self._config))
        return lambda seed: program.world(start, seed)


def _engine(made: Any) -> Any:
    """Return the engine of a simulation, or the world itself."""
    return getattr(made, "_c_sim", made)


def _resident() -> int:
    """Return the resident memory of the process in bytes."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def measure(bench: Bench) -> dict[str, Any]:
    if not Path("/proc/self/statm").exists():
        print("  not measured: this system does not tell")
        return {}
    measured: dict[str, Any] = {"worlds": WORLDS}
    for game in GAMES:
        engines = {
            "ours, `Program.world`": bench.ours("memory", game=game, way="world"),
            "ours, `Simulation`": bench.ours("memory", game=game, way="simulation"),
        }
        for engine in bench.published("memory", game=game, way="simulation"):
            engines["published, `Simulation`"] = engine
        measured[game] = {title: engine.turn() for title, engine in engines.items()}
        block = measured[game]["ours, `Program.world`"]["block_kilobytes"]
        print(f"  {f'{game}, kilobytes per world':34}{'':>12}  the world itself has {block:,.0f}")
        for title, engine in engines.items():
            engine.close()
            print(f"  {title:34}{engine.answers[0]['kilobytes']:>12,.0f}", flush=True)
    return measured
