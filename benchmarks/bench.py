"""Compare our engine with the published one: speed, phases, threads, creation, memory, bandwidth, imports; and learn a
BitWorld game from its pictures.

usage: bench.py [--only PART,PART] [--steps 5000] [--batch-steps N] [--turns 10] [--ours PYTHON] [--first]

Each part prints a table and adds a line to benchmarks/results/PART.jsonl. docs/concepts/speed.md explains the figures.
Without the published engine (no registry, no Python for it) ours is measured alone.
"""

import argparse
import functools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import bandwidth  # noqa: E402
import bitworld_learning  # noqa: E402
import creation  # noqa: E402
import imports  # noqa: E402
import memory  # noqa: E402
import phases  # noqa: E402
import speed  # noqa: E402
import threads  # noqa: E402
from engines import Bench  # noqa: E402
from published import published_python  # noqa: E402
from record import record  # noqa: E402
from workspace import PYTHON, fail, say, shared_dir  # noqa: E402

PARTS: dict[str, tuple[str, Callable[[Bench], dict[str, Any]]]] = {
    "arena": ("Arena: 8 agents on 60x60", functools.partial(speed.measure, game="arena")),
    "machina_1": ("Machina 1: 8 agents on 98x98", functools.partial(speed.measure, game="machina_1")),
    "four_score": ("Four arenas in one: 32 agents on 120x120", functools.partial(speed.measure, game="four_score")),
    "phases": ("Where the time of a step goes", phases.measure),
    "threads": ("Threads", threads.measure),
    "creation": ("Creation, reset, snapshots", creation.measure),
    "memory": ("Memory per world", memory.measure),
    "bandwidth": ("Fraction of the memory-bandwidth limit", bandwidth.measure),
    "imports": ("Imports", imports.measure),
    "bitworld_learning": ("Learning a BitWorld game from pictures", bitworld_learning.measure),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=parts, default=list(PARTS), metavar="PART,PART", help=", ".join(PARTS))
    parser.add_argument("--steps", type=int, default=5000, help="steps of one world")
    parser.add_argument(
        "--batch-steps", type=int, help="steps of the 64 worlds of both engines: 300, or 100 large ones"
    )
    parser.add_argument("--turns", type=int, default=10, help="turns of each side")
    parser.add_argument(
        "--ours", type=Path, default=PYTHON, help="interpreter with our engine, to measure another build"
    )
    parser.add_argument("--first", action="store_true", help="take cores from all other work (Linux, as root)")
    options = parser.parse_args()
    if options.first:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    shared = shared_dir()
    if shared is None:
        fail("bench: no folder `shared` with recorded episodes beside the repository; set LEAGUE_SHARED to name one")
    published = None
    try:
        published = published_python()
    except SystemExit as error:
        say(f"bench: ours alone, because {error}")
    bench = Bench(shared / "oracle", options.ours, published, options.steps, options.batch_steps, options.turns)
    for name in options.only:
        title, measure = PARTS[name]
        print(f"\n{title}", flush=True)
        start = time.monotonic()
        measured = measure(bench)
        path = record(name, command(name, options), measured)
        say(f"  {time.monotonic() - start:.0f} s; recorded in {path.relative_to(ROOT)}")


def parts(names: str) -> list[str]:
    for name in names.split(","):
        if name not in PARTS:
            raise argparse.ArgumentTypeError(f"no part {name!r}; there are {', '.join(PARTS)}")
    return names.split(",")


def command(name: str, options: argparse.Namespace) -> str:
    """Return the command that repeats this part."""
    words = ["--only", name, "--steps", str(options.steps), "--turns", str(options.turns)]
    if options.batch_steps:
        words += ["--batch-steps", str(options.batch_steps)]
    if options.ours != PYTHON:
        words += ["--ours", str(options.ours)]
    if options.first:
        words.append("--first")
    return f'make bench ARGS="{" ".join(words)}"'


if __name__ == "__main__":
    main()
