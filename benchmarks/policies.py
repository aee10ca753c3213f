"""Compare the rewards of the built-in policies with those of the published policies of the same name.

usage: policies.py [--episodes N] [--seed 42] [--only TEXT] [--record]

Reward is the mean over cogs and episodes; episode k has the seed and the map of seed + k. The published figures are of
cogames 0.26.22 with seed 42, from as many episodes as the table runs by default. They were measured on maps drawn by
the published generator from the same settings, so single episodes differ, and levels compare.
"""

import argparse
import statistics
import sys
import time
from typing import NamedTuple

from cogames import missions
from mettagrid.policy.loader import resolve_policy_class_path
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.rollout import run_episode_local
from record import record


class Row(NamedTuple):
    mission: str
    policy: str
    steps: int | None
    """None for those of the mission"""
    episodes: int
    published: float
    """mean reward"""


LEVELS = ("easy", "medium", "hard")
ROWS = [
    Row("arena", "starter", None, 3, 2.992),
    Row("arena", "aligner", None, 3, 2.194),
    Row("arena", "scrambler", None, 3, 0.0),
    Row("arena", "miner", None, 1, 0.0),
    Row("arena", "random", None, 1, 0.0),
    Row("machina_1", "starter", 1000, 3, 0.576),
    Row("machina_1", "aligner", 1000, 3, 0.443),
    Row("machina_1", "scrambler", 1000, 1, 0.0),
    Row("machina_1", "starter", None, 1, 1.431),
    Row("four_score", "starter", 1000, 1, 0.470),
    Row("tutorial.miner", "miner", None, 2, 16.597),
    Row("tutorial.miner", "starter", None, 2, 6.675),
    Row("tutorial.aligner", "aligner", None, 2, 6.0),
    Row("tutorial.aligner", "starter", None, 2, 3.75),
    Row("tutorial.scout", "scout", None, 2, 3.894),
    Row("tutorial.scout", "starter", None, 2, -0.758),
    Row("tutorial.scrambler", "scrambler", None, 2, 4.125),
    Row("tutorial.scrambler", "starter", None, 2, -1.188),
    *(Row(f"memory_mystery_path_{level}", "substrate_memory", None, 2, 1.0) for level in LEVELS),
    *(Row(f"exploration_sparse_search_{level}", "substrate_exploration", None, 2, 1.0) for level in LEVELS),
    *(Row(f"planning_unlock_chain_{level}", "substrate_planning", None, 2, 1.0) for level in LEVELS),
]


def rewards(row: Row, episodes: int, seed: int) -> list[float]:
    found = []
    for episode in range(episodes):
        env = missions.load(row.mission, seed=seed + episode)
        if row.steps is not None:
            env.game.max_steps = row.steps
        spec = PolicySpec(class_path=resolve_policy_class_path(row.policy))
        result, _ = run_episode_local(
            policy_specs=[spec], assignments=[0] * env.game.num_agents, env=env, seed=seed + episode
        )
        found.append(statistics.fmean(result.rewards))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, help="of every row, instead of its own number")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--only", default="", help="rows with this text in `mission policy`")
    parser.add_argument("--record", action="store_true", help="add a line to results/policies.jsonl")
    options = parser.parse_args()
    measured = []
    print(f"{'mission':34} {'policy':22} {'steps':>6}  {'published':>9}  {'ours':>8}  {'s/episode':>9}  episodes")
    for row in ROWS:
        if options.only not in f"{row.mission} {row.policy}":
            continue
        began = time.perf_counter()
        found = rewards(row, options.episodes or row.episodes, options.seed)
        seconds = (time.perf_counter() - began) / len(found)
        mean = statistics.fmean(found)
        each = ", ".join(f"{reward:.3f}" for reward in found)
        steps = row.steps or "full"
        print(
            f"{row.mission:34} {row.policy:22} {steps:>6}  {row.published:9.3f}  {mean:8.3f}  {seconds:9.2f}  {each}",
            flush=True,
        )
        measured.append({**row._asdict(), "rewards": [round(reward, 3) for reward in found]})
    if options.record:
        path = record("policies", " ".join(["benchmarks/policies.py", *sys.argv[1:]]), {"rows": measured})
        print(f"recorded in {path}")


if __name__ == "__main__":
    main()
