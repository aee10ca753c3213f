"""The command that simulates seasons."""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Sequence
from contextlib import nullcontext

from tests.simulation.planted import PLANTS
from tests.simulation.season import play_season

__all__ = ["main"]

_EVERY = 25
"""seasons between two lines about progress"""
_MAX_SHOWN = 5


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--seed", type=int, default=0, help="of the first season")
    parser.add_argument("--seasons", type=int, default=1, help="how many, each with the next seed")
    parser.add_argument("--trace", action="store_true", help="print what happens")
    parser.add_argument("--plant", choices=sorted(PLANTS), help="play with a bug in the server; stop when it is found")
    args = parser.parse_args(arguments)
    plant = nullcontext if args.plant is None else PLANTS[args.plant]
    play_season(args.seed)  # loads and compiles everything once, so that the rate is that of seasons
    gc.collect()
    gc.freeze()  # all that is loaded stays; the collector need not look at it again
    began, found, moves = time.process_time(), 0, 0
    for number, seed in enumerate(range(args.seed, args.seed + args.seasons), 1):
        outcome = play_season(seed, plant=plant, show=print if args.trace else None)
        moves += outcome.moves
        if outcome.violations:
            found += 1
            print(f"seed {seed} ({outcome.scenario}): {len(outcome.violations)} violations; {outcome.faults}")
            for sentence in outcome.violations[:_MAX_SHOWN]:
                print(f"  {sentence[:600]}")
            if args.plant is not None:
                print(f"simulation: {args.plant} found in season {number}")
                return 0
        elif args.seasons == 1:
            print(f"seed {seed} ({outcome.scenario}): digest {outcome.digest}")
        if number % _EVERY == 0:
            print(f"{number} seasons, {_rate(number, began)}, {found} with violations", flush=True)
    print(f"simulation: {args.seasons} seasons, {moves} moves of jobs, {_rate(args.seasons, began)}, {found} failed")
    return 1 if found or args.plant is not None else 0


def _rate(seasons: int, began: float) -> str:
    seconds = max(time.process_time() - began, 1e-9)
    return f"{seconds / seasons:.3f} s of processor time each, {3600 * seasons / seconds:.0f} an hour"
