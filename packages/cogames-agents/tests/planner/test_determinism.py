"""The same observations give the same actions: again, in another process, and after a reset."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from cogames_agents.policy.cogsguard import CogsguardPolicy

# Prints a digest of all actions of an episode that the runner plays.
PROGRAM = """
import hashlib, json, tempfile, zlib
from pathlib import Path
from cogames import missions
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodePlan, play_episode

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "actions.json.z"
    env = missions.load("arena", cogs=8, seed=3)
    env.game.max_steps = 200
    outcome = play_episode(EpisodePlan(env, [PolicySpec(class_path="cogsguard")], [0] * 8, 3, actions_path=path))
    assert outcome.verdicts[0].status == "ok" and sum(outcome.rewards) > 0
    recorded = json.loads(zlib.decompress(path.read_bytes()))
    print(hashlib.sha256(json.dumps(recorded["actions"]).encode()).hexdigest())
"""


def play(worlds: Any, policy: CogsguardPolicy, steps: int = 200) -> str:
    """Play from where the worlds are; return a digest of all actions."""
    digest = hashlib.sha256()
    actions = np.zeros(worlds.batch.num_agents, np.int32)
    for _ in range(steps):
        policy.step_batch(worlds.observations, actions)
        digest.update(actions.tobytes())
        worlds.take(actions)
    return digest.hexdigest()


def test_two_episodes_of_new_policies_are_the_same(open_worlds: Callable[..., Any]) -> None:
    digests = set()
    for _ in range(2):
        worlds = open_worlds("four_score", seeds=(3,))
        digests.add(play(worlds, CogsguardPolicy(worlds.interface)))
    assert len(digests) == 1


def test_processes_with_other_hash_seeds_take_the_same_actions() -> None:
    digests = set()
    for hash_seed in ("0", "7"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=300
        )
        assert ran.returncode == 0, ran.stderr
        digests.add(ran.stdout)
    assert len(digests) == 1


def test_a_reset_forgets_the_episode(open_worlds: Callable[..., Any]) -> None:
    """A policy that has played another map plays the next one like a new policy, but only after a reset."""
    first = open_worlds("arena", seeds=(11,))
    used, unreset, new = (CogsguardPolicy(first.interface) for _ in range(3))
    for policy in (used, unreset):
        play(open_worlds("arena", seeds=(11,)), policy)
    used.reset()
    expected = play(open_worlds("arena", seeds=(12,)), new)
    assert play(open_worlds("arena", seeds=(12,)), used) == expected
    assert play(open_worlds("arena", seeds=(12,)), unreset) != expected


def test_a_reset_of_one_agent_policy_starts_the_episode_of_the_team(
    open_worlds: Callable[..., Any], one_by_one: Callable[..., Any]
) -> None:
    worlds = open_worlds("arena", seeds=(11,))
    used = CogsguardPolicy(worlds.interface)
    play(worlds, used)
    for agent in range(8):  # as runners begin an episode
        used.agent_policy(agent).reset()
    assert used.agent_policy(0).infos == {}
    expected = play(open_worlds("arena", seeds=(12,)), CogsguardPolicy(worlds.interface))
    assert play(open_worlds("arena", seeds=(12,)), used) == expected
