"""Run random games through the published engine and through ours, and compare every trace.

usage: python tests/compat/run.py --published PYTHON --ours PYTHON [--count 2000] [--seed 0] [--family F]
                                  [--jobs 2] [--cache DIR] [--keep DIR]

PYTHON is an interpreter that has the engine. Games that the published engine cannot play (it crashes on some) are
replaced by the next ones, until `count` games could be compared. Without --ours only the cache is filled.
The order of tokens inside a cell counts too, except in a few games: agents that leave several areas at once do so in
the order of addresses in the published engine, which differs from run to run.
The last line is `N/M random configs equal`; the exit status is 0 only when all are equal.
"""

from __future__ import annotations

import argparse
import queue
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from generator import FAMILIES, random_case

from engines import Cache, Engine, OracleMissing, comparer, last_line, write_case


@dataclass
class Result:
    seed: int
    name: str
    family: str
    unplayable: str | None = None  # why the published engine gave no trace
    difference: str | None = None
    reordered: bool = False  # only the order of tokens inside cells differs


MAX_REORDERED = 0.005
"""The part of all games in which only the order inside cells may differ."""


def sorted_tokens(trace: dict) -> dict:
    return {**trace, "observations": np.sort(trace["observations"], axis=2)}


class Comparison:
    def __init__(self, args: argparse.Namespace, scratch: Path) -> None:
        self.args = args
        self.scratch = scratch
        self.cache = Cache(args.cache)
        self.compare = comparer()
        self.pairs: queue.Queue[tuple[Engine, Engine | None]] = queue.Queue()
        self.engines: list[Engine] = []
        for _ in range(args.jobs):
            pair = (Engine(args.published), Engine(args.ours) if args.ours else None)
            self.engines += [engine for engine in pair if engine]
            self.pairs.put(pair)
        self.cases, self.expected, self.got = (scratch / part for part in ("cases", "published", "ours"))
        for folder in (self.cases, self.expected, self.got):
            folder.mkdir(parents=True, exist_ok=True)

    def close(self) -> None:
        for engine in self.engines:
            engine.stop()

    def run_case(self, seed: int) -> Result:
        case = random_case(seed, self.args.family)
        name = f"{case.meta['family']}_{seed:06d}"
        result = Result(seed, name, case.meta["family"])
        write_case(case, self.cases, name)
        pair = self.pairs.get()
        try:
            self.trace_both(case, result, *pair)
        finally:
            self.pairs.put(pair)
        if not (result.difference and self.args.keep):
            for folder in (self.cases, self.expected, self.got):
                for suffix in (".json", ".meta.json", ".npz", ".err"):
                    (folder / (name + suffix)).unlink(missing_ok=True)
        return result

    def trace_both(self, case, result: Result, published: Engine, ours: Engine | None) -> None:
        name = result.name
        if not self.cache.fetch(case, name, self.expected):
            published.trace(self.cases, name, self.expected)
            self.cache.store(case, name, self.expected)
        expected = self.expected / f"{name}.npz"
        if not expected.exists():
            result.unplayable = last_line((self.expected / f"{name}.err").read_text())
        elif ours:
            error = ours.trace(self.cases, name, self.got)
            if error:
                result.difference = "no trace: " + last_line(error)
            else:
                traces = [self.compare.load(path / f"{name}.npz") for path in (self.got, self.expected)]
                result.difference = self.compare.difference(*traces)
                if result.difference and self.compare.difference(*map(sorted_tokens, traces)) is None:
                    result.difference, result.reordered = None, True

    def all(self) -> list[Result]:
        """Seeds in order, until enough of them could be compared."""
        results: list[Result] = []
        playable, seed, started = 0, self.args.seed, time.monotonic()
        with ThreadPoolExecutor(self.args.jobs) as pool:
            while playable < self.args.count:
                size = min(self.args.count - playable, 50 * self.args.jobs)
                for result in pool.map(self.run_case, range(seed, seed + size)):
                    results.append(result)
                    playable += result.unplayable is None
                    if result.unplayable:
                        print(f"{result.name}: published engine: {result.unplayable}", file=sys.stderr)
                    if result.difference:
                        print(f"{result.name}: {result.difference}\n    {again(result, self.args)}", flush=True)
                seed += size
                print(f"{playable} games, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
                if seed - self.args.seed > 20 * self.args.count + 200:
                    raise RuntimeError(f"The published engine plays too few games, e.g. {results[-1].unplayable}")
        return results


def again(result: Result, args: argparse.Namespace) -> str:
    family = f" --family {args.family}" if args.family else ""
    return f"hint: shrink with `tests/compat/shrink.py --seed {result.seed}{family} --published P --ours O`"


def report(results: list[Result], compared: bool) -> int:
    playable = [result for result in results if result.unplayable is None]
    equal = [result for result in playable if result.difference is None]
    print(f"{'family':16}{'equal':>8}{'games':>8}{'unplayable':>12}")
    for family in FAMILIES:
        counts = [sum(r.family == family for r in group) for group in (equal, playable, results)]
        if counts[2]:
            print(f"{family:16}{counts[0]:8}{counts[1]:8}{counts[2] - counts[1]:12}")
    if not compared:
        print(f"{len(playable)} random configs traced by the published engine, none compared")
        return 0
    reordered = sum(result.reordered for result in playable)
    if reordered:
        print(f"{reordered} of them with another order of tokens inside cells")
    print(f"{len(equal)}/{len(playable)} random configs equal")
    return 0 if playable and len(equal) == len(playable) and reordered <= MAX_REORDERED * len(playable) + 1 else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--published", required=True, metavar="PYTHON", help="interpreter with mettagrid 0.26.20")
    parser.add_argument("--ours", metavar="PYTHON", help="interpreter with our engine")
    parser.add_argument("--count", type=int, default=2000, help="games to compare (2000)")
    parser.add_argument("--seed", type=int, default=0, help="first seed (0)")
    parser.add_argument("--family", choices=FAMILIES, help="games of one rule area only")
    parser.add_argument("--jobs", type=int, default=2, help="games at a time (2)")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep traces of the published engine here")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave games that differ here, with both traces")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    scratch = args.keep or Path(tempfile.mkdtemp(prefix="compat-"))
    comparison = None
    try:
        comparison = Comparison(args, scratch)
        return report(comparison.all(), bool(args.ours))
    except (OracleMissing, RuntimeError) as problem:
        print(problem, file=sys.stderr)
        return 2
    finally:
        if comparison:
            comparison.close()
        if not args.keep:
            shutil.rmtree(scratch)


if __name__ == "__main__":
    sys.exit(main())
