"""Play one ladder three times: with one worker, with two, and killed several times: the same bytes.

usage: ladder.py [--steps N] [--kills N] [--seed S] [--policy POLICY ...]

Eight policies on three missions (one of them with four teams), four maps each. The third run is killed with SIGKILL
after random times and started again by the same command.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

POLICIES = ["random", "noop", "starter", "miner", "scout", "aligner", "scrambler", "crasher.Crasher"]
MISSIONS = ["arena", "machina_1", "four_score"]
MAPS = 4
# The first twelve steps of each agent, then an exception.
CRASHER = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action

class Agent(AgentPolicy):
    left = 12

    def step(self, obs):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("out of ideas")
        return Action(name="move_north")

class Crasher(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self.policy_env_info)
"""


def command(args: argparse.Namespace, folder: Path, jobs: int) -> list[str]:
    words = [sys.executable, "-m", "cogames", "ladder", "-s", str(args.steps), "-e", str(MAPS), "-o", str(folder)]
    for policy in args.policy or POLICIES:
        words += ["-p", policy]
    for mission in MISSIONS:
        words += ["-m", mission]
    return [*words, "--seed", str(args.seed), "-j", str(jobs)]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def play(args: argparse.Namespace, work: Path, name: str, jobs: int) -> float:
    began = time.monotonic()
    subprocess.run(command(args, work / name, jobs), cwd=work, check=True, capture_output=True)
    return time.monotonic() - began


def play_with_kills(args: argparse.Namespace, work: Path, name: str, seconds: float) -> None:
    """Kill the ladder after random times, each within a share of the `seconds` that a run takes; then let it end."""
    rng = random.Random(args.seed)
    for number in range(args.kills):
        process = subprocess.Popen(
            command(args, work / name, 2), cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(timeout=rng.uniform(1.0, 2 * seconds / (args.kills + 1)))
            print(f"run {number + 1} ended before it was killed")
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            print(f"killed after {len(list((work / name / 'games').glob('*.json')))} games", flush=True)
    play(args, work, name, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200, help="steps of an episode (200)")
    parser.add_argument("--kills", type=int, default=5, help="kills of the third run (5)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the ladder and of the kills (0)")
    parser.add_argument("--policy", action="append", help="policies instead of the eight built-in ones")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "crasher.py").write_text(CRASHER)
        seconds = {jobs: play(args, work, f"jobs-{jobs}", jobs) for jobs in (1, 2)}
        expected = files(work / "jobs-1")
        games = sum(name.startswith("games/") for name in expected)
        print(f"{games} games: {seconds[1]:.0f} s with one worker, {seconds[2]:.0f} s with two", flush=True)
        play_with_kills(args, work, "killed", seconds[2])
        for name in ("jobs-2", "killed"):
            other = files(work / name)
            differing = [key for key in sorted({*expected, *other}) if expected.get(key) != other.get(key)]
            if differing:
                sys.exit(f"{name} differs from jobs-1 in {', '.join(differing[:10])}")
    print(f"same bytes in {len(expected)} files")


if __name__ == "__main__":
    main()
