"""CPU milliseconds to generate the maps of missions, ours and the published generator taking turns.

usage: maps.py [--rounds 5] [--maps 4]     each round is a new process per side; its first maps are not counted
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from published import VERSION, published_python  # noqa: E402
from record import record  # noqa: E402
from workspace import PYTHON  # noqa: E402

MISSIONS = ("arena", "machina_1", "four_score")

# Both sides draw the same configurations; the file with them knows only names that both packages have.
PROGRAM = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from missions import mission_map
seconds = {}
for name in sys.argv[3:]:
    mission_map(name, 0).create().build()
    start = time.process_time()
    for seed in range(1, int(sys.argv[2]) + 1):
        mission_map(name, seed).create().build()
    seconds[name] = (time.process_time() - start) / int(sys.argv[2])
print(json.dumps(seconds))
"""


def cpu_seconds(python: Path, maps: int) -> dict[str, float]:
    command = [str(python), "-P", "-c", PROGRAM, str(ROOT / "tests" / "mapgen"), str(maps), *MISSIONS]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(result.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--maps", type=int, default=4, help="maps of each mission in a round")
    options = parser.parse_args()
    pythons = {"ours": PYTHON, f"published {VERSION}": published_python()}
    seconds: dict[str, dict[str, list[float]]] = {name: {mission: [] for mission in MISSIONS} for name in pythons}
    for _ in range(options.rounds):
        for name, python in pythons.items():
            for mission, value in cpu_seconds(python, options.maps).items():
                seconds[name][mission].append(value)
    measured: dict[str, dict[str, float]] = {}
    for mission in MISSIONS:
        ours, published = (statistics.median(side[mission]) for side in seconds.values())
        measured[mission] = {
            "ours_ms": round(ours * 1000, 1),
            "published_ms": round(published * 1000, 1),
            "times_faster": round(published / ours, 2),
        }
        times = f"{published / ours:.1f} times faster"
        print(f"{mission:12} {ours * 1000:6.1f} ms, published {published * 1000:6.1f} ms: {times}")
    path = record("maps", "benchmarks/maps.py", {"cpu": measured})
    print(f"recorded in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
