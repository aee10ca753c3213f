"""A million random steps: many games, many worlds, invariants checked every hundred steps.

usage: python tests/soak/steps.py [--steps 1000000] [--seed 0]

The exit status is 0 only when every invariant held. Games that need recorded episodes are left out without them.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mettagrid.compiler import ConfigWarning
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.simulator import Simulation
from tests.compat.generator import random_case
from tests.soak.invariants import Checker
from tests.soak.sources import missions, recorded_game, recorded_games

FAMILIES = (
    "spawning tags events event_motion limit_cascade materialize territory aoe_mobile move_handlers mixed".split()
)
GENERATED = 10
EPISODE = 5000  # steps until a new world
BETWEEN_CHECKS = 100
STRANGE_SHARE = 0.01  # of actions that do not exist


@dataclass
class Result:
    steps: int = 0
    worlds: int = 0
    checks: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def games() -> Iterator[tuple[str, MettaGridConfig]]:
    """(name, config) of every game that is played."""
    for name in sorted(missions())[:1]:
        yield name, MettaGridConfig.model_validate(recorded_game(name))
        talking = MettaGridConfig.model_validate(recorded_game(name))
        talking.game.talk.enabled = True
        talking.game.talk.cooldown_steps = 3
        yield f"{name} with talk", talking
    for family in FAMILIES:
        for name in [name for name in recorded_games() if name.startswith(f"{family}_0")][:2]:
            yield name, MettaGridConfig.model_validate(recorded_game(name))
    for seed in range(GENERATED):
        yield f"generated {seed}", MettaGridConfig.model_validate(random_case(seed).config)


def play(name: str, config: MettaGridConfig, steps: int, seed: int) -> Result:
    """Worlds of one game, one after the other, for that many steps."""
    result = Result()
    while result.steps < steps and not result.problems:
        play_world(name, config, min(EPISODE, steps - result.steps), seed + result.worlds, result)
    return result


def play_world(name: str, config: MettaGridConfig, steps: int, seed: int, result: Result) -> None:
    simulation = Simulation(config, seed=seed)
    engine = simulation._c_sim
    checker = Checker(engine)
    rng = np.random.default_rng(seed)
    result.worlds += 1
    n, talks = simulation.num_agents, config.game.talk.enabled
    for at in range(0, steps, BETWEEN_CHECKS):
        count = min(BETWEEN_CHECKS, steps - at)
        actions = rng.integers(0, len(engine.action_names), (2, count, n), np.int32)
        actions[rng.random(actions.shape) < STRANGE_SHARE] = 2**31 - 1
        if talks:
            speak(simulation, int(rng.integers(n)))
        for row in range(count):
            engine.actions()[:] = actions[0, row]
            engine.vibe_actions()[:] = actions[1, row]
            try:
                simulation.step()
            except RuntimeError as error:  # the engine's own; the world continues
                result.faults[str(error).split("(")[0]] += 1
        result.steps += count
        result.checks += 1
        problems = [f"{name}, seed {seed}, step {engine.current_step}: {problem}" for problem in checker.problems()]
        if engine.current_step != at + count:
            problems.append(f"{name}, seed {seed}: {at + count} steps were taken, {engine.current_step} are counted")
        if problems:
            result.problems += problems[:3]
            return


def speak(simulation: Simulation, agent: int) -> None:
    simulation.agent(agent).set_talk("here I am")
    simulation.agent(agent).observation  # noqa: B018 - what is heard is worked out when asked for


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000_000, help="steps of all games together (1000000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first world of each game (0)")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConfigWarning)
    started = time.monotonic()
    played = list(games())
    share = -(-args.steps // len(played))
    total = Result()
    for name, config in played:
        before = time.monotonic()
        result = play(name, config, min(share, args.steps - total.steps), args.seed)
        total.steps += result.steps
        total.worlds += result.worlds
        total.checks += result.checks
        total.problems += result.problems
        faults = f", {result.faults.total()} stopped: {result.faults.most_common(1)[0][0]}" if result.faults else ""
        note = f"{result.steps} steps, {result.worlds} worlds, {time.monotonic() - before:.0f} s{faults}"
        print(f"{name}: {note}", file=sys.stderr, flush=True)
    for problem in total.problems:
        print(problem)
    print(
        f"steps: {total.steps} steps of {len(played)} games in {total.worlds} worlds, {total.checks} checks, "
        f"{len(total.problems)} problems, {time.monotonic() - started:.0f} s"
    )
    return 1 if total.problems or total.steps < args.steps else 0


if __name__ == "__main__":
    sys.exit(main())
