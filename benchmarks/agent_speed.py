"""The speed of a policy: CPU time of a step, and labels per CPU second in batches beside the engine's own speed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from agent_games import Game
from agent_players import spec
from cogames.episodes.single import team_ids
from mettagrid.batch import Batch
from mettagrid.compiler import compile
from mettagrid.policy.batched import BatchedPolicy, batched_form
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

MISSIONS = ("arena", "machina_1", "four_score")
WORLDS = (1, 64, 512)
BATCH_STEPS = 300
COMPARED = 400  # steps in which the batched policy and single ones must agree


def measure_speed(policy: str, seeds: Sequence[int]) -> dict:
    """Print and return both tables."""
    print(f"{'mission':12} {'steps':>6} {'mean us':>8} {'worst us':>9}   CPU time of a step with 8 cogs")
    steps = []
    for mission in MISSIONS:
        times = np.concatenate([_step_times(mission, policy, seed) for seed in seeds]) * 1e6
        mean, worst = float(times.mean()), float(times.max())
        print(f"{mission:12} {len(times):6} {mean:8.1f} {worst:9.1f}", flush=True)
        steps.append({"mission": mission, "steps": len(times), "mean_us": round(mean, 2), "worst_us": round(worst, 1)})
    print(f"{'mission':12} {'worlds':>6} {'steps':>6} {'labels':>12} {'engine':>12}   agent-steps per CPU second")
    batches = []
    for mission in MISSIONS:
        for worlds in WORLDS:
            row = _batch_speed(mission, policy, worlds, seeds[0])
            print(f"{mission:12} {worlds:6} {row['steps']:6} {row['labels']:12,} {row['engine']:12,}", flush=True)
            batches.append(row)
        _check_equal(mission, policy, seeds[0])
    print(f"the batched {policy} and single ones took the same actions for {COMPARED} steps")
    return {"steps": steps, "batches": batches}


def _step_times(mission: str, policy: str, seed: int) -> np.ndarray:
    """Play a whole episode with all cogs, and return the CPU seconds of each step of one team of 8."""
    env = Game(mission).load(seed)
    interface = PolicyEnvInterface.from_mg_cfg(env)
    teams = team_ids(env, seed)
    players: list[Any] = [_single(policy, interface) for _ in sorted(set(teams))]
    for number, player in enumerate(players):
        player.set_batch_agents([agent for agent, team in enumerate(teams) if team == sorted(set(teams))[number]])
    batch = _batch(mission, 1, seed)
    actions = np.zeros(batch.num_agents, np.int32)
    times = np.empty(env.game.max_steps)
    for step in range(env.game.max_steps):
        began = time.thread_time()
        players[0].step_batch(batch.observations, actions)
        times[step] = time.thread_time() - began
        for player in players[1:]:
            player.step_batch(batch.observations, actions)
        _act(batch, actions, interface)
    return times


def _batch_speed(mission: str, policy: str, worlds: int, seed: int) -> dict:
    """Return agent-steps per CPU second: labels of the batched policy, and steps of the engine.

    The steps are the first of an episode, the same number for any number of worlds.
    """
    batch = _batch(mission, worlds, seed)
    interface = PolicyEnvInterface.from_mg_cfg(Game(mission).load(seed))
    batched = _batched(policy, interface, worlds)
    actions = np.zeros(batch.num_agents, np.int32)
    spent = np.zeros(2)
    for _ in range(BATCH_STEPS):
        began = time.thread_time()
        batched.step(batch.observations, actions)
        labelled = time.thread_time()
        _act(batch, actions, interface)
        spent += labelled - began, time.thread_time() - labelled
    labels, engine = (round(float(rate)) for rate in batch.num_agents * BATCH_STEPS / spent)
    return {"mission": mission, "worlds": worlds, "steps": BATCH_STEPS, "labels": labels, "engine": engine}


def _check_equal(mission: str, policy: str, seed: int) -> None:
    """Raise SystemExit if the batched policy differs from single ones of the same worlds."""
    worlds = 3
    batch = _batch(mission, worlds, seed)
    interface = PolicyEnvInterface.from_mg_cfg(Game(mission).load(seed))
    batched = _batched(policy, interface, worlds)
    singles = [_single(policy, interface) for _ in range(worlds)]
    actions = np.zeros(batch.num_agents, np.int32)
    for step in range(COMPARED):
        batched.step(batch.observations, actions)
        for world, single in enumerate(singles):
            part = batch.agents_of(world)
            expected = np.zeros(part.stop - part.start, np.int32)
            single.step_batch(batch.observations[part], expected)
            if not np.array_equal(expected, actions[part]):
                raise SystemExit(
                    f"{mission}: the batched {policy} and a single one differ at step {step} in world {world}"
                )
        _act(batch, actions, interface)


def _single(policy: str, interface: PolicyEnvInterface) -> Any:
    return initialize_or_load_policy(interface, spec(policy))


def _batched(policy: str, interface: PolicyEnvInterface, worlds: int) -> BatchedPolicy:
    return batched_form(_single(policy, interface), worlds, make=lambda: _single(policy, interface))


def _batch(mission: str, worlds: int, seed: int) -> Batch:
    """Return worlds on eight maps in turn."""
    envs = [Game(mission).load(seed + number) for number in range(min(worlds, 8))]
    program = compile(envs[0])
    maps = [program.map(env.game.map_builder.create().build_for_num_agents(env.game.num_agents).grid) for env in envs]
    return Batch([program.world(maps[i % len(maps)], seed + i) for i in range(worlds)], auto_reset=False)


def _act(batch: Batch, actions: np.ndarray, interface: PolicyEnvInterface) -> None:
    """Take a step with flat action numbers: primary actions, then vibes."""
    primary = len(interface.action_names)
    is_vibe = actions >= primary
    batch.actions[:] = np.where(is_vibe, 0, actions)
    batch.vibe_actions[:] = np.where(is_vibe, actions - primary + 1, 0)
    batch.step()
