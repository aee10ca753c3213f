"""Agent-steps per CPU second: one world with a Python call per step, and a batch of 64, ours and published.

Both sides play the same episodes with the same actions and must be in the same state after each turn. A turn goes on where
the last one ended, so the turns together are one range of steps. Episodes are played on past their end (the recorded game
has 1,000 steps), as the published engine does.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engines import Bench

WORLDS = 64
BATCH_STEPS = {"arena": 300, "four_score": 100}
RUNS = {"arena": 3, "four_score": 1}


class Job:
    """Worlds of one game, played on from turn to turn.

    `way` is how: "calls" (each world a call per step, the only way both engines have), "batch" (one call per step for all
    worlds), "run" (one call per turn) or "random" (the same, with actions that the engine draws).
    """

    def __init__(self, oracle: Path, game: str, worlds: int, way: str) -> None:
        import games
        import numpy as np

        config = games.load(oracle, game)
        self._digest = games.digest
        self._way = way
        self._arrays = games.new_arrays(config, worlds)
        if way == "calls":
            self._sims = games.simulations(config, self._arrays)
            self._worlds: list[Any] = [sim._c_sim for sim in self._sims]
            names = self._sims[0].action_names
        else:
            from mettagrid.batch import Batch
            from mettagrid.compiler import compile

            program = compile(config)
            start = program.map(games.map_rows(config))
            self._worlds = [program.world(start, games.FIRST_SEED + i) for i in range(worlds)]
            shared = {name: self._arrays[name] for name in ("observations", "actions", "vibe_actions")}
            self._batch = Batch(self._worlds, auto_reset=way == "random", **shared)
            names = program.action_names
        self._agents = worlds * config.game.num_agents
        self._actions = games.Actions(names, self._agents)
        self._rewards = lambda: [np.asarray(world.get_episode_rewards()) for world in self._worlds]

    def turn(self, steps: int) -> dict[str, Any]:
        rows, vibe_rows = self._actions.rows(steps)
        actions, vibe_actions = self._arrays["actions"], self._arrays["vibe_actions"]
        step_each = [world.step for world in self._worlds]
        start, cpu_start = time.perf_counter(), time.process_time()
        # Rows are written from Python, as a training loop would: that is part of what is timed, on both sides.
        if self._way == "calls":
            for row, vibe_row in zip(rows, vibe_rows, strict=True):
                actions[:] = row
                vibe_actions[:] = vibe_row
                for step in step_each:
                    step()
        elif self._way == "batch":
            step_all = self._batch.step
            for row, vibe_row in zip(rows, vibe_rows, strict=True):
                actions[:] = row
                vibe_actions[:] = vibe_row
                step_all()
        elif self._way == "run":
            self._batch.run(steps, actions=rows, vibe_actions=vibe_rows)
        else:
            self._batch.run(steps, seed=1)
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        return {
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
            "agent_steps": steps * self._agents,
            "digest": self._digest(self._arrays["observations"], self._rewards()),
        }


def measure(bench: "Bench", game: str) -> dict[str, Any]:
    print(f"{'':58}{'agent-steps per CPU second':>28}   times published")
    print(f"{'':58}{'ours':>14}{'published':>14}   CPU   clock  (turns)")
    one_world = _one_world(bench, game)
    batch = _batch(bench, game)
    with_random = _random(bench, game)
    return {"game": game, "one_world": one_world, "batch": batch, "random": with_random}


def _one_world(bench: "Bench", game: str) -> dict[str, Any]:
    from engines import check_same_state, take_turns

    ours, published = [], []
    for _ in range(RUNS[game]):
        mine = bench.ours("speed", game=game, worlds=1, way="calls")
        others = bench.published("speed", game=game, worlds=1, way="calls")
        take_turns([mine, *others], bench.turns, steps=bench.steps // bench.turns)
        check_same_state([mine, *others])
        ours += mine.answers
        published += [answer for other in others for answer in other.answers]
        for engine in (mine, *others):
            engine.close()
    return _report(f"one world, a Python call per step, steps 0-{bench.steps:,}", bench.steps, ours, published)


def _batch(bench: "Bench", game: str) -> dict[str, Any]:
    from engines import check_same_state, take_turns

    steps = bench.batch_steps or BATCH_STEPS[game]
    arguments = {"game": game, "worlds": WORLDS}
    called = bench.ours("speed", way="batch", **arguments)
    run = bench.ours("speed", way="run", **arguments)
    others = bench.published("speed", way="calls", **arguments)
    take_turns([called, run, *others], bench.turns, steps=steps // bench.turns)
    check_same_state([called, run, *others])
    published = [answer for other in others for answer in other.answers]
    title = f"{WORLDS} worlds"
    measured = {
        "worlds": WORLDS,
        "call_per_step": _report(f"{title}, a Python call per step, steps 0-{steps}", steps, called.answers, published),
        "run": _report(f"{title}, `run`, steps 0-{steps}", steps, run.answers, published),
    }
    for engine in (called, *others):
        engine.close()
    # Ours goes on alone to the end of the range; the published engine would need minutes.
    if rest := (bench.steps - steps) // bench.turns:
        take_turns([run], bench.turns, steps=rest)
        measured["run_on"] = _report(f"{title}, `run`, steps 0-{bench.steps:,}", bench.steps, run.answers, [])
    run.close()
    return measured


def _random(bench: "Bench", game: str) -> dict[str, Any]:
    from engines import take_turns

    ours = bench.ours("speed", game=game, worlds=WORLDS, way="random")
    take_turns([ours], bench.turns, steps=100)
    ours.close()
    return _report(f"{WORLDS} worlds, `run` with random actions", 100 * bench.turns, ours.answers, [])


def _report(title: str, steps: int, ours: list[dict[str, Any]], published: list[dict[str, Any]]) -> dict[str, Any]:
    from engines import median, rates, ratios

    def whole(answers: list[dict[str, Any]]) -> int:
        """Of all turns together; a long range is not the same all along."""
        return round(sum(a["agent_steps"] for a in answers) / sum(a["cpu_seconds"] for a in answers))

    measured: dict[str, Any] = {
        "steps": steps,
        "ours": round(median(rates(ours))),
        "ours_whole_range": whole(ours),
        "ours_turns": rates(ours),
        "ours_cpu_share": round(sum(a["cpu_seconds"] for a in ours) / sum(a["seconds"] for a in ours), 2),
    }
    line = f"  {title:56}{measured['ours']:>14,}"
    if published:
        cpu, clock = ratios(published, ours), ratios(published, ours, "seconds")
        measured |= {
            "published": round(median(rates(published))),
            "published_whole_range": whole(published),
            "published_turns": rates(published),
            "ratio": round(median(cpu), 2),
            "ratio_by_clock": round(median(clock), 2),
            "ratio_whole_range": round(whole(ours) / whole(published), 2),
            "ratio_turns": cpu,
        }
        line += f"{measured['published']:>14,}  {measured['ratio']:>5.1f}  {measured['ratio_by_clock']:>5.1f}"
        line += f"  ({min(cpu):.0f} to {max(cpu):.0f})"
    print(line, flush=True)
    return measured
