"""CPU seconds to import the configuration models and validate a default `MettaGridConfig`, ours and the published ones.

Each run is a new process; the start of the interpreter itself is not counted.
"""

import os
import subprocess
from pathlib import Path
from typing import Any

from engines import ROOT, Bench, median

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


def measure(bench: Bench) -> dict[str, Any]:
    pythons = {"ours": bench.ours_python}
    if bench.published_python:
        pythons["published"] = bench.published_python
    for python in pythons.values():
        cpu_seconds(python)  # writes the bytecode caches
    seconds: dict[str, list[float]] = {name: [] for name in pythons}
    for _ in range(bench.turns):
        for name, python in pythons.items():
            seconds[name].append(round(cpu_seconds(python), 4))
    for name, values in seconds.items():
        print(f"  {name:34}{median(values):>12.3f} CPU seconds to import and validate a default MettaGridConfig")
    if "published" not in seconds:
        return {"cpu_seconds": seconds}
    ratio = median(seconds["ours"]) / median(seconds["published"])
    print(f"  {'ratio':34}{ratio:>12.2f}", flush=True)
    return {"cpu_seconds": seconds, "ratio": round(ratio, 3)}
