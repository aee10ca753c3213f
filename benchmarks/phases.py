"""Measure the time of a step phase by phase, beside the published engine's own profile.

The same steps are played several times and each phase of each step counts with its quickest time: being interrupted by
other work makes a step of a few microseconds a thousand times longer, and would be all one sees.
"""

from pathlib import Path
from typing import Any

import numpy as np

import games
from engines import Answer, Bench

STEPS = 1000
PLAYS = 4
GAMES = ("arena", "four_score")

# In the order of a step. All other time is "the rest"; ours counts the game's tick with those of the agents.
PHASES = {
    "actions": "actions_ns",
    "events": "events_ns",
    "ticks": "on_tick_ns",
    "areas and territory": "aoe_ns",
    "observations": "observations_ns",
    "rewards": "rewards_ns",
}


class Job:
    """Runs with METTAGRID_PROFILING=1, which makes both engines time their steps."""

    def __init__(self, oracle: Path, game: str) -> None:
        self._config = games.load(oracle, game)
        self._quickest = np.full((STEPS, len(PHASES) + 1), np.inf)

    def turn(self) -> Answer:
        """Play once more; return microseconds per step and phase so far."""
        arrays = games.new_arrays(self._config, 1)
        (sim,) = games.simulations(self._config, arrays)
        rows, vibe_rows = games.Actions(sim.action_names, self._config.game.num_agents).rows(STEPS)
        world = sim._c_sim
        for i in range(STEPS):
            arrays["actions"][:] = rows[i]
            arrays["vibe_actions"][:] = vibe_rows[i]
            world.step()
            times = [getattr(world.step_timing, name) for name in PHASES.values()]
            times.append(world.step_timing.total_ns - sum(times))
            np.minimum(self._quickest[i], times, out=self._quickest[i])
        means = self._quickest.mean(axis=0) / 1e3
        return dict(zip([*PHASES, "the rest"], means.round(3).tolist(), strict=True))


def measure(bench: Bench) -> dict[str, Any]:
    measured: dict[str, Any] = {"steps": STEPS, "plays": PLAYS}
    for game in GAMES:
        engines = [bench.ours("phases", game=game), *bench.published("phases", game=game)]
        for _ in range(PLAYS):
            for engine in engines:
                engine.turn()
        for engine in engines:
            engine.close()
        columns = [engine.answers[-1] for engine in engines]
        _print(game, columns)
        measured[game] = dict(zip(("ours", "published"), columns, strict=False))
    return measured


def _print(game: str, columns: list[Answer]) -> None:
    titles = [f"{title:>18}" for title in ("ours", "published")[: len(columns)]]
    print(f"  {f'{game}, microseconds per step':34}{''.join(titles)}{'times' * (len(columns) > 1):>8}")
    for phase in [*PHASES, "the rest", "all"]:
        times = [sum(c.values()) if phase == "all" else c[phase] for c in columns]
        shares = [f"{f'{t:.2f}':>11} ({t / sum(c.values()):4.0%})" for t, c in zip(times, columns, strict=True)]
        ratio = f"{times[1] / times[0]:8.0f}" if len(times) > 1 and times[0] else ""
        print(f"  {phase:34}{''.join(shares)}{ratio}")
