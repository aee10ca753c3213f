"""Measure the cost of a Coworld episode over the same programs without a runner, and the rate of failures.

    python benchmarks/coworld.py [--turns 10] [--episodes 50]

A game of three ticks and two players: bare, as three processes on the loopback; and as an episode, with boxes, probes,
a viewer, logs and results. In turns, medians of all; by the clock, and in processor time, which a busy machine changes
less. Then `--episodes` episodes, two at a time. Writes a line of JSON to benchmarks/results/coworld.jsonl.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import platform
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from coworld.engines.process import ProcessEngine  # noqa: E402
from coworld.runner.runner import run_episode  # noqa: E402
from packages.coworld.tests.worlds import BAD, world  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "coworld.jsonl"


def bare(folder: Path) -> float:
    """Return the seconds from the start of the game to the end of the last program, without a runner."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    tokens = ["token-of-slot-zero-0000", "token-of-slot-one-11111"]
    (folder / "config.json").write_text(json.dumps({"tokens": tokens, "ticks": 3}))
    names = {"CONFIG": "config.json", "RESULTS": "results.json", "SAVE_REPLAY": "replay", "EVENTS": "events.json"}
    names |= {"SAVE_TRAJECTORY": "trajectory.jsonl"}
    env = {f"COGAME_{name}_URI": f"file://{folder}/{file}" for name, file in names.items()}
    env |= {"COGAME_HOST": "127.0.0.1", "COGAME_PORT": str(port), "COGBOX_LEVEL": "none", "PATH": os.environ["PATH"]}
    start = time.perf_counter()
    game = subprocess.Popen([sys.executable, BAD / "game.py"], env=env, stdout=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.002)
    players = []
    for slot, token in enumerate(tokens):
        url = f"ws://127.0.0.1:{port}/player?slot={slot}&token={token}"
        words = [sys.executable, BAD / "player.py"]
        players.append(subprocess.Popen(words, env={"COWORLD_PLAYER_WS_URL": url}, stdout=subprocess.DEVNULL))
    for process in (*players, game):
        assert process.wait() == 0
    return time.perf_counter() - start


def episode(folder: Path) -> float:
    """Return the seconds of the same as an episode, from the call to its outcome."""
    package, request, engine = world(folder)
    start = time.perf_counter()
    outcome = run_episode(package, request, engine=engine, workspace=folder / "out", budget_seconds=60)
    assert outcome.ok, outcome.error
    return time.perf_counter() - start


def processor_seconds() -> float:
    """Return the CPU seconds of this process and of the children it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def medians(figures: list[tuple[float, float]]) -> tuple[float, float]:
    """Return wall and CPU time in milliseconds."""
    first, second = (1000 * statistics.median(column) for column in zip(*figures, strict=True))
    return first, second


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--episodes", type=int, default=50)
    args = parser.parse_args()
    level = ProcessEngine().level
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        alone: list[tuple[float, float]] = []
        run: list[tuple[float, float]] = []
        for _ in range(args.turns):
            for kind, figures in ((bare, alone), (episode, run)):
                before = processor_seconds()
                clock = kind(folder)
                figures.append((clock, processor_seconds() - before))
        bare_clock, bare_cpu = medians(alone)
        clock, cpu = medians(run)
        print(f"bare    {bare_clock:7.0f} ms, {bare_cpu:.0f} ms of processor")
        print(f"episode {clock:7.0f} ms, {cpu:.0f} ms of processor ({level})")
        print(f"over    {clock - bare_clock:7.0f} ms, {cpu - bare_cpu:.0f} ms of processor")

        def one(number: int) -> bool:
            place = folder / str(number)
            place.mkdir()
            try:
                episode(place)
            except AssertionError as error:
                print(f"episode {number} failed: {error}")
                return False
            return True

        start = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            failures = list(pool.map(one, range(args.episodes))).count(False)
        seconds = time.perf_counter() - start
        print(f"{args.episodes} episodes, two at a time: {seconds:.1f} s, {failures} failures")
    record = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}",
        "command": f"python benchmarks/coworld.py --turns {args.turns} --episodes {args.episodes}",
        "level": level,
        "load": round(os.getloadavg()[0], 1),
        "bare_ms": round(bare_clock, 1),
        "episode_ms": round(clock, 1),
        "over_ms": round(clock - bare_clock, 1),
        "bare_cpu_ms": round(bare_cpu, 1),
        "episode_cpu_ms": round(cpu, 1),
        "over_cpu_ms": round(cpu - bare_cpu, 1),
        "episodes": args.episodes,
        "failures": failures,
        "seconds": round(seconds, 2),
    }
    with open(RESULTS, "a") as file:
        print(json.dumps(record), file=file)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
