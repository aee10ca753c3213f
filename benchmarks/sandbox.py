"""Measure the start-up time of a box beside the same program without one.

    python benchmarks/sandbox.py [--count 40]

For each level that works here: the time from the call to the result of a program that does nothing, in turns with a
bare `subprocess.run` of it, medians of all turns. Writes a line of JSON to benchmarks/results/sandbox.jsonl.
"""

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from cogbox import Level, Sandbox
from cogbox.selftest import proof

RESULTS = Path(__file__).parent / "results" / "sandbox.jsonl"
PROGRAMS = {"true": ["/bin/true"], "python": [sys.executable, "-I", "-c", "pass"]}


def timed(action: Callable[..., object], *arguments: object) -> float:
    """Return the milliseconds of one call."""
    start = time.perf_counter()
    action(*arguments)
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=40, help="turns per level (default: 40)")
    count = parser.parse_args().count
    levels = [level for level in reversed(Level) if proof(level).holds]
    rows = []
    for name, command in PROGRAMS.items():
        bare: list[float] = []
        boxed: dict[Level, list[float]] = {level: [] for level in levels}
        for turn in range(count):
            bare.append(timed(subprocess.check_call, command))
            for level in levels:
                if level is not Level.CONTAINER or turn < 8:
                    boxed[level].append(timed(Sandbox(level).run, command))
        for level in levels:
            median, alone = statistics.median(boxed[level]), statistics.median(bare)
            rows.append(
                {"program": name, "level": level.value, "bare_ms": alone, "boxed_ms": median, "over_ms": median - alone}
            )
            over = f"{median - alone:6.1f} ms over a bare process ({alone:.1f} ms)"
            print(f"{name:7} {level.value:11} {median:7.1f} ms, {over}")
    record = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}",
        "user": "root" if os.geteuid() == 0 else "user",
        "command": f"python benchmarks/sandbox.py --count {count}",
        "rows": [
            {key: round(value, 2) if isinstance(value, float) else value for key, value in row.items()} for row in rows
        ],
    }
    with open(RESULTS, "a") as file:
        print(json.dumps(record), file=file)


if __name__ == "__main__":
    main()
