"""Learn infinite blocks from pictures on the CPU, and compare the trained policy with random actions on unseen seeds.

usage: bitworld_learning.py [--steps 80000] [--seed 1] [--record]

One player plays alone. The game differs from the default in one setting: runs of 6 cells clear instead of 8, so that
random play sees enough rewards to learn from within two minutes. The field has 1000 x 1000 cells. The network sees the
picture, one pixel of every cell; each action holds its buttons for 7 ticks and releases them for 1. The score is the
sum of the rewards of an episode of 300 actions.

It fails if the lower end of the trained policy's 95 % interval is not above `FACTOR` times the upper end of random
play's, or if everything takes more than `LIMIT` seconds of CPU time. One thread does all work.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from engines import Bench  # noqa: E402
from record import record  # noqa: E402
from workspace import fail  # noqa: E402

GAME, RUN = "infinite_blocks", 6
EPISODE = {"max_ticks": 2400, "stack": 1, "ticks_per_action": 8, "taps": True}
TRAINING_GAMES, TEST_GAMES = 32, 64
UNSEEN = 1_000_000  # first seed of the evaluation; training uses small ones
FACTOR = 1.5
LIMIT = 120


def measure(bench: Bench) -> dict[str, Any]:
    """Run the part of `bench.py`."""
    return learn_and_compare()


def learn_and_compare(*, steps: int = 80_000, seed: int = 1) -> dict[str, Any]:
    """Train, evaluate, print and check; return the figures."""
    import torch

    from bitworld.envs import BitWorldVectorEnv
    from cogames_training.pictures import PictureArgs, PictureNetwork, learn, play

    def environment(games: int) -> BitWorldVectorEnv:
        return BitWorldVectorEnv(GAME, {"runLength": RUN}, games=games, **EPISODE)

    started, cpu = time.monotonic(), time.process_time()
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    training = environment(TRAINING_GAMES)
    num_actions = int(training.single_action_space.n)
    network = PictureNetwork(EPISODE["stack"], num_actions)
    args = PictureArgs(total_steps=steps, seed=seed, reward_scale=0.2)
    for number, epoch in enumerate(learn(training, network, args)):
        if number % 10 == 9:
            print(
                f"  {epoch.steps:7,} actions  {epoch.seconds:4.0f} s  reward per action {epoch.reward_per_step:.4f}",
                flush=True,
            )
    limit = EPISODE["max_ticks"] // EPISODE["ticks_per_action"] + 2
    random, trained = (
        play(environment(TEST_GAMES), policy, seed=UNSEEN, num_actions=num_actions, steps=limit)
        for policy in (None, network)
    )
    seconds, cpu = time.monotonic() - started, time.process_time() - cpu
    for name, scores in (("random", random), ("trained", trained)):
        print(f"  {name:8} {scores.mean:6.1f} +- {scores.half_width:.1f} points in {len(scores.rewards)} unseen games")
    print(f"  {seconds:.0f} s, {cpu:.0f} s of CPU time", flush=True)
    if trained.low <= FACTOR * random.high:
        fail(f"bitworld_learning: the trained policy is not clearly better than {FACTOR} times random play")
    if cpu > LIMIT:
        fail(f"bitworld_learning: {cpu:.0f} s of CPU time are more than {LIMIT}")
    return {
        "game": GAME,
        "run_length": RUN,
        "actions": steps,
        "seed": seed,
        "random": round(random.mean, 2),
        "random_half_width": round(random.half_width, 2),
        "trained": round(trained.mean, 2),
        "trained_half_width": round(trained.half_width, 2),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=80_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="add a line to results/bitworld_learning.jsonl")
    options = parser.parse_args()
    measured = learn_and_compare(steps=options.steps, seed=options.seed)
    if options.record:
        command = f"python benchmarks/bitworld_learning.py --steps {options.steps} --seed {options.seed}"
        record("bitworld_learning", command, measured)


if __name__ == "__main__":
    main()
