"""Many Coworld episodes, two at a time, some of them bad: each ends as it must, and nothing of them is left.

usage: coworld.py [--engine process|podman|docker] [--episodes N] [--seed S]

Three of four are good; the fourth has a game or a player that does one thing wrong. Afterwards no process, no box
folder, no control group, no open descriptor and nothing of a container engine may be left. Exit status 1 when anything
is.
"""

import argparse
import concurrent.futures
import functools
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from cogbox._levels.container import owned_containers  # noqa: E402
from cogbox.container_engines import run_engine  # noqa: E402
from coworld.runner.runner import run_episode  # noqa: E402
from packages.cogbox.tests.hostile.world import control_groups  # noqa: E402
from packages.coworld.tests.worlds import container_world, left_running, world  # noqa: E402

BAD = [
    # game, players, expected
    ("exits_at_once", ("good", "good"), "game_unhealthy"),
    ("exits_non_zero", ("good", "good"), "game_unhealthy"),
    ("dies_by_signal", ("good", "good"), "crash"),
    ("bad_token_answered", ("good", "good"), "game_contract_violation"),
    ("no_results", ("good", "good"), "results_missing"),
    ("results_not_json", ("good", "good"), "results_malformed"),
    ("declares_player_failure", ("good", "good"), "player_error"),
    ("leaves_a_child", ("leaves_a_child", "good"), None),
    ("waits_for_the_dead", ("good", "crashes_in_the_middle"), "player_error"),
    ("waits_for_the_dead", ("dies_by_signal", "good"), "player_error"),
    ("good", ("good", "exits_non_zero_at_the_end"), "player_error"),
]


def main() -> bool:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", default="process")
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    draw = random.Random(args.seed)
    cases = [
        draw.choice(BAD) if number % 4 == 3 else ("good", ("good", "good"), None) for number in range(args.episodes)
    ]
    with tempfile.TemporaryDirectory(prefix="coworld-soak-") as name:
        home = Path(name)
        home.chmod(0o755)

        def run_case(number: int) -> str:
            game, players, expected = cases[number]
            worlds = world if args.engine == "process" else functools.partial(container_world, args.engine)
            package, request, engine = worlds(home, game, players)
            outcome = run_episode(
                package, request, engine=engine, workspace=home / threading.current_thread().name, budget_seconds=60
            )
            error_type = outcome.error.error_type if outcome.error else None
            if error_type != expected:
                print(f"  episode {number} ({game}, {players}): {outcome.error}, expected {expected}", flush=True)
            return "as expected" if error_type == expected else "otherwise"

        run_case(0)  # warm-up: opens the descriptors that stay open
        before, kept, began = descriptors(), engine_objects(args.engine), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            counts = Counter(pool.map(run_case, range(args.episodes)))
        seconds = time.monotonic() - began
    left = {
        "processes": left_running(),
        "control groups": control_groups(),
        "descriptors": descriptors() - before,
        "box folders": box_folders(),
        "containers": own_containers(args.engine),
        "volumes and networks": sorted(engine_objects(args.engine) - kept),
    }
    print(f"  {args.episodes} episodes with {args.engine} in {seconds:.0f} s: {dict(counts)}")
    for kind, count in left.items():
        print(f"  left: {kind}: {count or 'none'}")
    return counts["as expected"] == args.episodes and not any(left.values())


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def own_containers(engine: str) -> list[str]:
    if engine == "process":
        return []
    return [name for name, owner in owned_containers(engine).items() if owner.startswith(f"{os.getpid()}-")]


def engine_objects(engine: str) -> set[str]:
    """Return the volumes and networks of a container engine."""
    kinds = [] if engine == "process" else [("volume", "ls"), ("network", "ls")]
    return {f"{words[0]} {name}" for words in kinds for name in run_engine(engine, *words, "--quiet").stdout.split()}


def box_folders() -> list[str]:
    from cogbox import _folders

    return [path.name for path in _folders.base().glob(f"{os.getpid()}-*")]


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
