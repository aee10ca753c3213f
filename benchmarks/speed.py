"""Agent-steps per CPU second: one world with a Python call per step, and a batch of 64, ours and published.

Both sides play the same episodes with the same actions and must be in the same state after each turn. A turn continues
where the previous one ended, so the turns together are one range of steps. Episodes continue past their end (the
recorded game has 1,000 steps), as in the published engine.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

import games
from engines import Answer, Bench, check_same_state, median, rates, ratios, take_turns

WORLDS = 64
MANY_WORLDS = 1024
RUNS = {"arena": 5, "machina_1": 5, "four_score": 3}
BATCH_STEPS = {"arena": 300, "machina_1": 300, "four_score": 100}
RANDOM_STEPS = 100

Turns = list[Answer]


class Job:
    """Worlds of one game. `way` is how they are played: "calls" (a call per world and step, which both engines have),
    "batch" (a call per step), "run" (a call per turn), or "random" (the same, with actions that the engine draws)."""

    def __init__(self, oracle: Path, game: str, worlds: int, way: str) -> None:
        config = games.load(oracle, game)
        self._arrays = games.new_arrays(config, worlds)
        if way == "calls":
            self._sims = games.simulations(config, self._arrays)
            self._worlds = [sim._c_sim for sim in self._sims]
        else:
            used = {name: self._arrays[name] for name in ("observations", "actions", "vibe_actions")}
            self._batch = games.new_batch(config, worlds, auto_reset=way == "random", **used)
            self._worlds = self._batch.worlds
        names = games.Simulation(config).action_names
        self._agents = worlds * config.game.num_agents
        self._actions = games.Actions(names, self._agents)
        self._play = {"calls": self._calls, "batch": self._steps, "run": self._run, "random": self._random}[way]

    def turn(self, steps: int) -> Answer:
        rows, vibe_rows = self._actions.rows(steps)
        start, cpu_start = time.perf_counter(), time.process_time()
        self._play(rows, vibe_rows)
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        return {
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
            "agent_steps": steps * self._agents,
            "digest": games.digest(self._arrays["observations"], self._worlds),
        }

    # Rows are written from Python, as a training loop would: that is part of what is timed, on both sides.

    def _calls(self, rows: np.ndarray, vibe_rows: np.ndarray) -> None:
        actions, vibe_actions = self._arrays["actions"], self._arrays["vibe_actions"]
        steps = [world.step for world in self._worlds]
        for row, vibe_row in zip(rows, vibe_rows, strict=True):
            actions[:] = row
            vibe_actions[:] = vibe_row
            for step in steps:
                step()

    def _steps(self, rows: np.ndarray, vibe_rows: np.ndarray) -> None:
        actions, vibe_actions, step = self._arrays["actions"], self._arrays["vibe_actions"], self._batch.step
        for row, vibe_row in zip(rows, vibe_rows, strict=True):
            actions[:] = row
            vibe_actions[:] = vibe_row
            step()

    def _run(self, rows: np.ndarray, vibe_rows: np.ndarray) -> None:
        self._batch.run(len(rows), actions=rows, vibe_actions=vibe_rows)

    def _random(self, rows: np.ndarray, vibe_rows: np.ndarray) -> None:
        self._batch.run(len(rows), seed=1)


def measure(bench: Bench, game: str) -> dict[str, Any]:
    print(f"  {'':50}{'agent-steps per CPU second':>24}  {'times the published engine':>34}")
    print(f"  {'':50}{'ours':>12}{'published':>12}  {'CPU':>8}{'clock':>8}{'median turn':>13}{'turns':>11}")
    return {
        "game": game,
        "one_world": _one_world(bench, game),
        **_batch(bench, game),
        **_batch_beside_one(bench, game),
        **_many(bench, game),
        "random_play": _random_play(bench, game),
    }


def _one_world(bench: Bench, game: str) -> dict[str, Any]:
    ours, published = [], []
    for _ in range(RUNS[game]):
        engine = bench.ours("speed", game=game, worlds=1, way="calls")
        others = bench.published("speed", game=game, worlds=1, way="calls")
        take_turns([engine, *others], bench.turns, steps=bench.steps // bench.turns)
        check_same_state([engine, *others])
        ours.append(engine.answers)
        published += [other.answers for other in others]
        for done in (engine, *others):
            done.close()
    return _report(f"one world, a call per step, 0-{bench.steps:,}", bench.steps, ours, published)


def _batch(bench: Bench, game: str) -> dict[str, Any]:
    steps = bench.batch_steps or BATCH_STEPS[game]
    step = bench.ours("speed", game=game, worlds=WORLDS, way="batch")
    run = bench.ours("speed", game=game, worlds=WORLDS, way="run")
    others = bench.published("speed", game=game, worlds=WORLDS, way="calls")
    take_turns([step, run, *others], bench.turns, steps=steps // bench.turns)
    check_same_state([step, run, *others])
    published = [other.answers for other in others]
    for engine in (step, run, *others):
        engine.close()
    return {
        "batch_step": _report(f"{WORLDS} worlds, a call per step, 0-{steps}", steps, [step.answers], published),
        "batch_run": _report(f"{WORLDS} worlds, `run`, 0-{steps}", steps, [run.answers], published),
    }


def _batch_beside_one(bench: Bench, game: str) -> dict[str, Any]:
    """Compare a batch with one published world, its best case: its memory stays in the cache."""
    step = bench.ours("speed", game=game, worlds=WORLDS, way="batch")
    run = bench.ours("speed", game=game, worlds=WORLDS, way="run")
    others = bench.published("speed", game=game, worlds=1, way="calls")
    take_turns([step, run, *others], bench.turns, steps=bench.steps // bench.turns)
    check_same_state([step, run])
    published = [other.answers for other in others]
    for engine in (step, run, *others):
        engine.close()
    title = f"{WORLDS} worlds beside one published, {{}}, 0-{bench.steps:,}"
    return {
        "batch_step_beside_one": _report(title.format("step"), bench.steps, [step.answers], published),
        "batch_run_beside_one": _report(title.format("run"), bench.steps, [run.answers], published),
    }


def _many(bench: Bench, game: str) -> dict[str, Any]:
    """Measure many more worlds than fit in a cache, beside the usual number; ours alone."""
    steps = bench.batch_steps or BATCH_STEPS[game]
    few = bench.ours("speed", game=game, worlds=WORLDS, way="batch")
    many = bench.ours("speed", game=game, worlds=MANY_WORLDS, way="batch")
    take_turns([few, many], bench.turns, steps=steps // bench.turns)
    for engine in (few, many):
        engine.close()
    measured = _report(f"{MANY_WORLDS:,} worlds, a call per step, 0-{steps}", steps, [many.answers], [])
    measured["step_of_few"] = ratios([_whole([few.answers])], [_whole([many.answers])])[0]
    print(
        f"    a step of a world takes {1 / measured['step_of_few']:.2f} times that in a batch of {WORLDS}", flush=True
    )
    return {"many_step": measured}


def _random_play(bench: Bench, game: str) -> dict[str, Any]:
    engine = bench.ours("speed", game=game, worlds=WORLDS, way="random")
    take_turns([engine], bench.turns, steps=RANDOM_STEPS)
    engine.close()
    steps = RANDOM_STEPS * bench.turns
    return _report(f"{WORLDS} worlds, `run` with random actions, 0-{steps:,}", steps, [engine.answers], [])


def _report(title: str, steps: int, ours: list[Turns], published: list[Turns]) -> dict[str, Any]:
    """Print and return the result of the whole range, in which a few steps are much slower, and of the turns."""
    whole = _whole(ours)
    measured: dict[str, Any] = {
        "steps": steps,
        "ours": rates([whole])[0],
        "ours_turns": [rates(run) for run in ours],
        "ours_cores": round(whole["cpu_seconds"] / whole["seconds"], 2),
    }
    line = f"  {title:50}{measured['ours']:>12,}"
    if published:
        pairs = [ratios(slow, fast) for slow, fast in zip(published, ours, strict=True)]
        turns = [ratio for run in pairs for ratio in run]
        measured |= {
            "published": rates([_whole(published)])[0],
            "published_turns": [rates(run) for run in published],
            "ratio": ratios([_whole(published)], [whole])[0],
            "ratio_by_clock": ratios([_whole(published)], [whole], "seconds")[0],
            "ratio_median_turn": median(turns),
            "ratio_turns": pairs,
        }
        line += f"{measured['published']:>12,}  {measured['ratio']:>8.1f}{measured['ratio_by_clock']:>8.1f}"
        line += f"{measured['ratio_median_turn']:>13.1f}{f'{min(turns):.0f} to {max(turns):.0f}':>11}"
    print(line, flush=True)
    return measured


def _whole(runs: list[Turns]) -> Answer:
    """Merge all turns of a run; each turn is the median over the runs, so that one disturbed turn does not count."""
    kinds = ("seconds", "cpu_seconds", "agent_steps")
    return {kind: sum(median([turn[kind] for turn in same]) for same in zip(*runs, strict=True)) for kind in kinds}
