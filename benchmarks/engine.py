"""Agent-steps per second of our engine and of the published one: one world, one episode, the same actions.

usage: engine.py [--steps 5000] [--runs 5] [--config FILE]

Both engines run in a process of their own and take turns, so that a busy machine slows both. `Simulation` gets the
caller's buffers, and a step is one row of actions written and one `sim._c_sim.step()`. Both sides must end in the same
state. Without the published engine (no registry, no Python for it) ours is measured alone and nothing is recorded.
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
from workspace import PYTHON, fail, say, shared_dir  # noqa: E402


class Engine:
    """A worker process and the answers it gave."""

    def __init__(self, name: str, python: Path, arguments: list[str]) -> None:
        self.name = name
        self.runs: list[dict] = []
        command = [str(python), "-W", "ignore", str(ROOT / "benchmarks" / "engine_worker.py"), *arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("run\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            fail(f"bench: the {self.name} engine ended early")
        self.runs.append(json.loads(line))

    def close(self) -> None:
        self._process.communicate()

    def rates(self) -> list[int]:
        """Agent-steps per second of each run."""
        return [round(run["agents"] * run["steps"] / run["seconds"]) for run in self.runs]


def ratio(slow: Engine, fast: Engine, kind: str) -> float:
    """Median over the pairs of runs that took turns."""
    return statistics.median(a[kind] / b[kind] for a, b in zip(slow.runs, fast.runs, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--config", help="configuration file; the recorded arena mission when left out")
    options = parser.parse_args()
    shared = shared_dir()
    if shared is None:
        fail("bench: no folder `shared` with recorded episodes beside the repository; set LEAGUE_SHARED to name one")
    oracle = shared / "oracle"
    config = options.config or str(oracle / "missions" / "arena_8_1.json.gz")
    arguments = [str(oracle), config, str(options.steps)]
    ours = Engine("ours", PYTHON, arguments)
    try:
        published = Engine(f"published {VERSION}", published_python(), arguments)
    except SystemExit as error:
        published = None
        say(f"bench: ours alone, because {error}")
    engines = [engine for engine in (ours, published) if engine]
    for _ in range(options.runs):
        for engine in engines:
            engine.run()
    for engine in engines:
        engine.close()

    for engine in engines:
        create = statistics.median(run["create_seconds"] for run in engine.runs) * 1e3
        rates = engine.rates()
        print(
            f"{engine.name:18} {statistics.median(rates):>12,.0f} agent-steps/s (median of {len(rates)},"
            f" {min(rates):,} to {max(rates):,}); a world is made in {create:.2f} ms"
        )
    if published is None:
        return
    wall, cpu = ratio(published, ours, "seconds"), ratio(published, ours, "cpu_seconds")
    print(f"ratio {wall:.1f} by the clock, {cpu:.1f} by processor time (medians of runs side by side)")
    if len({run["digest"] for engine in engines for run in engine.runs}) != 1:
        fail("bench: the two engines did not end in the same state, so the ratio means nothing")
    path = record(
        "engine",
        f"make bench ARGS='--steps {options.steps} --runs {options.runs}'",
        {
            "config": Path(config).name,
            "steps": options.steps,
            "agents": ours.runs[0]["agents"],
            "ours_agent_steps_per_second": ours.rates(),
            "published_agent_steps_per_second": published.rates(),
            "ratio": round(wall, 2),
            "ratio_of_processor_time": round(cpu, 2),
        },
    )
    print(f"same final state on both sides; recorded in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
