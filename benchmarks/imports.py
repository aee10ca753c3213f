"""CPU seconds to import the configuration models and validate a default `MettaGridConfig`, ours and the published ones.

usage: imports.py [--runs 7]     each run is a new process; the start of the interpreter itself is not counted
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from published import VERSION, published_python  # noqa: E402
from record import record  # noqa: E402
from workspace import PYTHON  # noqa: E402

PROGRAM = """
import time
start = time.process_time()
from mettagrid.config.mettagrid_config import MettaGridConfig
MettaGridConfig()
print(time.process_time() - start)
"""


def cpu_seconds(python: Path) -> float:
    # -P keeps the current folder off the path, so that each interpreter imports what is installed in it.
    command = [str(python), "-P", "-c", PROGRAM]
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=env)
    return float(result.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    pythons = {"ours": PYTHON, f"published {VERSION}": published_python()}
    for python in pythons.values():
        cpu_seconds(python)  # writes the bytecode caches
    seconds: dict[str, list[float]] = {name: [] for name in pythons}
    for _ in range(options.runs):
        for name, python in pythons.items():
            seconds[name].append(cpu_seconds(python))
    ours, published = (statistics.median(values) for values in seconds.values())
    for name, values in seconds.items():
        print(f"{name:18} {statistics.median(values):.3f} s CPU to import and validate a default MettaGridConfig")
    print(f"ratio {ours / published:.2f}")
    measured = {"cpu_seconds": {name: [round(v, 4) for v in values] for name, values in seconds.items()}}
    path = record("imports", "make bench", {**measured, "ratio": round(ours / published, 3)})
    print(f"recorded in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
