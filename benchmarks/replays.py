"""Measure the cost of recording and saving replays.

usage: replays.py [--mission arena] [--steps 2000] [--turns 20] [--episodes 6] [--rounds 3] [--policies random,starter]
                  [--first] [--record]

Three figures, each a ratio of times measured in the same run:
  a step of the engine with recording against one without, and the same for a step of a simulation;
  episodes with saved replays against the same without, with the policy `random` and with `starter`;
and how large the files are and how long it takes to write them and to reach a tick.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cogames import missions
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.loader import resolve_policy_class_path
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.replay import EpisodeRecorder, ReplayFile, load_replay, replay_bytes
from mettagrid.runner.episode import plan_episodes, play_episodes
from mettagrid.simulator import Simulation
from record import record

SECONDS = 10.0


class Player:
    """A simulation with random actions, with or without a recorder."""

    def __init__(self, env: MettaGridConfig, *, is_recorded: bool, through_simulation: bool) -> None:
        self.simulation = Simulation(env, seed=0)
        engine = self.simulation._c_sim
        self.recorder = EpisodeRecorder.of(self.simulation) if is_recorded else None
        self._step: Callable[[], None] = self.simulation.step if through_simulation else engine.step
        self._buffers = engine.actions(), engine.vibe_actions()
        names = self.simulation.action_names
        self._primary = [i for i, name in enumerate(names) if not name.startswith("change_vibe_")]
        self._vibes = [0, *self.simulation.vibe_action_ids.values()]
        self._random = np.random.default_rng(0)

    def turn(self, steps: int) -> float:
        """Return the CPU seconds of some steps. Writing actions is part of a step on both sides."""
        shape = (steps, self.simulation.num_agents)
        rows = self._random.choice(self._primary, shape).astype(np.int32)
        vibe_rows = self._random.choice(self._vibes, shape).astype(np.int32)
        actions, vibe_actions = self._buffers
        step, recorder = self._step, self.recorder
        start = time.process_time()
        if recorder is None:
            for row, vibe_row in zip(rows, vibe_rows, strict=True):
                actions[:] = row
                vibe_actions[:] = vibe_row
                step()
        else:
            take_down = recorder.record
            for row, vibe_row in zip(rows, vibe_rows, strict=True):
                actions[:] = row
                vibe_actions[:] = vibe_row
                step()
                take_down()
        return time.process_time() - start


def step_cost(env: MettaGridConfig, steps: int, turns: int, *, through_simulation: bool) -> dict[str, Any]:
    players = [Player(env, is_recorded=flag, through_simulation=through_simulation) for flag in (False, True)]
    times = [[player.turn(steps // turns) for player in players] for _ in range(turns)]
    assert players[0].simulation._c_sim.state_hash() == players[1].simulation._c_sim.state_hash()
    plain, recorded = (statistics.median(turn[side] for turn in times) for side in (0, 1))
    return {
        "plain_us": round(plain / (steps // turns) * 1e6, 2),
        "recorded_us": round(recorded / (steps // turns) * 1e6, 2),
        "ratio": round(statistics.median(turn[1] / turn[0] for turn in times), 3),
    }


def saving_cost(env: MettaGridConfig, policy: str, episodes: int, rounds: int) -> dict[str, Any]:
    """Measure the wall time of whole runs in turns, after a warm-up run. Short runs are repeated for ten seconds."""
    specs = [PolicySpec(class_path=resolve_policy_class_path(policy))]
    seats = [0] * env.game.num_agents
    times: list[tuple[float, float]] = []
    while len(times) <= rounds or sum(map(sum, times)) < SECONDS:
        pair = []
        for saves in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                paths = [Path(folder, f"{i}.json.z") if saves else None for i in range(episodes)]
                plans = plan_episodes(env, specs, seats, episodes=episodes, seed=len(times), replay_paths=paths)
                start = time.perf_counter()
                play_episodes(plans, workers=1)
                pair.append(time.perf_counter() - start)
        times.append((pair[0], pair[1]))
    del times[0]
    plain, saved = (statistics.median(pair[side] for pair in times) for side in (0, 1))
    return {
        "plain_s": round(plain / episodes, 3),
        "saved_s": round(saved / episodes, 3),
        "ratio": round(statistics.median(pair[1] / pair[0] for pair in times), 3),
    }


def files(env: MettaGridConfig, steps: int) -> dict[str, Any]:
    player = Player(env, is_recorded=True, through_simulation=True)
    player.turn(steps)
    assert player.recorder is not None
    replay = player.recorder.finish()
    measured: dict[str, Any] = {"steps": steps, "rows": len(replay.initial) + len(replay.changes)}
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".json.z", ".cogreplay"):
            start = time.process_time()
            data = replay_bytes(replay, ending)
            wrote = time.process_time()
            load_replay(data)
            read = time.process_time()
            measured[ending] = {
                "bytes": len(data),
                "write_ms": round((wrote - start) * 1e3, 1),
                "read_ms": round((read - wrote) * 1e3, 1),
            }
        path = Path(folder, "x.cogreplay")
        path.write_bytes(data)
        with ReplayFile(path) as file:
            ticks = np.random.default_rng(0).integers(0, steps, 50).tolist()
            start = time.process_time()
            for tick in ticks:
                file.frame(tick)
            measured["reach_a_tick_ms"] = round((time.process_time() - start) / len(ticks) * 1e3, 1)
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mission", default="arena")
    parser.add_argument("--steps", type=int, default=2000, help="steps of the engine, with and without recording")
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--episodes", type=int, default=6, help="episodes of 1000 steps in a run")
    parser.add_argument("--rounds", type=int, default=3, help="runs with and without replays")
    parser.add_argument("--policies", default="random,starter")
    parser.add_argument("--first", action="store_true", help="take cores from all other work (Linux, as root)")
    parser.add_argument("--record", action="store_true", help="add a line to benchmarks/results/replays.jsonl")
    options = parser.parse_args()
    if options.first:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    warnings.simplefilter("ignore")
    env = missions.load(options.mission, seed=0)
    env.game.max_steps = 1000
    measured: dict[str, Any] = {"mission": options.mission}
    for name, through in (("engine_step", False), ("simulation_step", True)):
        measured[name] = step_cost(env, options.steps, options.turns, through_simulation=through)
        print(f"{name}: {measured[name]}", flush=True)
    for policy in options.policies.split(","):
        measured[f"saving_{policy}"] = saving_cost(env, policy, options.episodes, options.rounds)
        print(f"saving replays, {policy}: {measured[f'saving_{policy}']}", flush=True)
    measured["files"] = files(env, 1000)
    print(f"files: {measured['files']}")
    if options.record:
        record("replays", " ".join(["python", "benchmarks/replays.py", *sys.argv[1:]]), measured)


if __name__ == "__main__":
    main()
