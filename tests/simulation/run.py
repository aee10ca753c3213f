"""The command that simulates seasons."""

from __future__ import annotations

import argparse
import functools
import gc
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from tests.simulation.planted import PLANTS
from tests.simulation.scenarios import SCENARIOS
from tests.simulation.season import Outcome, play_calmly, play_season

__all__ = ["main"]

_EVERY = 25
"""seasons between two lines about progress"""
_MAX_SHOWN = 5


@dataclass(frozen=True)
class _Result:
    seed: int
    text: str
    """about its violations, or its digest"""
    is_violated: bool
    moves: int
    seconds: float
    """of processor time"""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--seed", type=int, default=0, help="of the first season")
    parser.add_argument("--seasons", type=int, default=1, help="how many, each with the next seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes that play them")
    parser.add_argument("--trace", action="store_true", help="print what happens, with one process")
    parser.add_argument("--plant", choices=sorted(PLANTS), help="play with a bug in the server; stop when it is found")
    args = parser.parse_args(arguments)
    began, seconds, failed, moves = time.monotonic(), 0.0, 0, 0
    seeds = range(args.seed, args.seed + args.seasons)
    with _results(seeds, args.plant, jobs=args.jobs, trace=args.trace) as results:
        for number, result in enumerate(results, 1):
            moves, seconds, failed = moves + result.moves, seconds + result.seconds, failed + result.is_violated
            if result.is_violated or args.seasons == 1:
                print(result.text, flush=True)
            if result.is_violated and args.plant is not None:
                print(f"simulation: {args.plant} found in season {number}")
                return 0
            if number % _EVERY == 0:
                print(f"{number} seasons, {_rate(number, seconds)}, {failed} with violations", flush=True)
    rate = f"{_rate(args.seasons, seconds)}, {time.monotonic() - began:.0f} s in all"
    print(f"simulation: {args.seasons} seasons, {moves} moves of jobs, {rate}, {failed} failed")
    return 1 if failed or args.plant is not None else 0


@contextmanager
def _results(seeds: range, plant: str | None, *, jobs: int, trace: bool) -> Iterator[Iterator[_Result]]:
    """Yield the results of seasons in the order of their seeds, as they become known."""
    if jobs == 1 or len(seeds) == 1:
        if len(seeds) > 1:
            _prepare()
        yield map(functools.partial(_play, plant=plant, show=print if trace else None), seeds)
        return
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _prepare)
    try:
        yield pool.map(functools.partial(_play, plant=plant), seeds)
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Load, compile and play everything once, so that the rate is that of seasons."""
    for scenario in SCENARIOS:
        play_calmly(scenario)
    gc.collect()
    gc.freeze()  # all that is loaded stays; the collector need not look at it again


def _play(seed: int, *, plant: str | None, show: Callable[[str], None] | None = None) -> _Result:
    began = time.process_time()
    outcome = play_season(seed, plant=nullcontext if plant is None else PLANTS[plant], show=show)
    seconds = time.process_time() - began
    return _Result(seed, _text(outcome), bool(outcome.violations), outcome.moves, seconds)


def _text(outcome: Outcome) -> str:
    if not outcome.violations:
        return f"seed {outcome.seed} ({outcome.scenario}): digest {outcome.digest}"
    head = f"seed {outcome.seed} ({outcome.scenario}): {len(outcome.violations)} violations; {outcome.faults}"
    return "\n".join([head, *(f"  {sentence[:600]}" for sentence in outcome.violations[:_MAX_SHOWN])])


def _rate(seasons: int, seconds: float) -> str:
    seconds = max(seconds, 1e-9)
    return f"{seconds / seasons:.3f} s of processor time each, {3600 * seasons / seconds:.0f} an hour"
