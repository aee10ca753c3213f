"""The same world gives the same bytes, whatever else runs in the process."""

import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mettagrid.compiler import compile
from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import isNear
from mettagrid.config.game_value import QueryCountValue, inv, weighted_sum
from mettagrid.config.handler_config import Handler, updateTarget, withdraw
from mettagrid.config.mettagrid_config import (
    AgentConfig,
    AgentReward,
    GridObjectConfig,
    InventoryConfig,
    ObsConfig,
    WallConfig,
)
from mettagrid.config.obs_config import GlobalObsConfig
from mettagrid.config.query import query
from mettagrid.mettagrid_c import MettaGrid

MAP = """
##########
#@..b...@#
#..b..#..#
#.#..b..b#
#@....b.@#
##########
"""


@pytest.fixture
def rich(game):
    """A game with randomness: events on some boxes, and boxes whose gold goes to the first agent."""

    def rich(**fields):
        chest = GridObjectConfig(
            name="box",
            inventory=InventoryConfig(initial={"gold": 3}),
            on_use_handler=Handler(mutations=[withdraw({"gold": 1})]),
        )
        rain = EventConfig(
            name="rain",
            target_query="type:box",
            timesteps=list(range(1, 200, 2)),
            max_targets=2,
            mutations=[updateTarget({"gold": 1})],
        )
        rewards = {"gold": AgentReward(reward=inv("gold"))}
        return game(
            MAP,
            **{
                "objects": {"wall": WallConfig(), "box": chest},
                "events": {"rain": rain},
                "agent": AgentConfig(rewards=rewards),
            }
            | fields,
        )

    return rich


class Log:
    """A digest of everything a policy and a log could see of an episode."""

    def __init__(self):
        self.state = hashlib.sha256()

    def note(self, engine):
        for array in (engine.observations(), engine.rewards(), engine.terminals(), engine.truncations()):
            self.state.update(array.tobytes())
        self.state.update(repr(engine.action_success()).encode())

    def end(self, engine):
        self.state.update(repr(engine.get_episode_stats()).encode())
        return self.state.hexdigest()


def step(engine, actions, log):
    engine.actions()[:] = actions
    engine.step()
    log.note(engine)


def played(engine, actions):
    log = Log()
    for row in actions:
        step(engine, row, log)
    return log.end(engine)


def random_actions(seed, steps=60, agents=4):
    return np.random.default_rng(seed).integers(0, 8, (steps, agents), dtype=np.int32)


def test_the_same_seed_gives_the_same_bytes(rich, cells):
    first, second = (MettaGrid(rich(), cells(MAP), 5) for _ in range(2))
    assert played(first, random_actions(1)) == played(second, random_actions(1))


def test_another_seed_gives_another_episode(rich, cells):
    first, second = (MettaGrid(rich(), cells(MAP), seed) for seed in (5, 6))
    assert played(first, random_actions(1)) != played(second, random_actions(1))


def test_two_worlds_of_one_program_go_in_lockstep(rich, cells):
    program = compile(rich())
    first, second = (MettaGrid(program, cells(MAP), 5) for _ in range(2))
    for row in random_actions(2):
        for engine in (first, second):
            engine.actions()[:] = row
            engine.step()
        assert np.array_equal(first.observations(), second.observations())
        assert first.get_episode_rewards().tolist() == second.get_episode_rewards().tolist()


def test_a_world_does_not_notice_another_one_of_its_program(rich, cells):
    program = compile(rich())
    alone = played(MettaGrid(program, cells(MAP), 5), random_actions(3))
    engine, other = (MettaGrid(program, cells(MAP), seed) for seed in (5, 99))
    log = Log()
    for mine, theirs in zip(random_actions(3), random_actions(4), strict=True):
        step(other, theirs, Log())
        step(engine, mine, log)
    assert log.end(engine) == alone


def test_worlds_of_different_games_do_not_mix_their_features(rich, cells):
    """In the published engine the newest world decided the feature ids of all."""
    plain = rich()
    other = rich(
        resource_names=["iron", "gold", "ore"],
        obs=ObsConfig(
            token_value_base=10, global_obs=GlobalObsConfig(last_action_move=True, obs={"rich": inv("gold")})
        ),
    )
    alone = [played(MettaGrid(config, cells(MAP), 5), random_actions(5)) for config in (plain, other)]
    engines = [MettaGrid(config, cells(MAP), 5) for config in (plain, other)]
    logs = [Log() for _ in engines]
    for row in random_actions(5):
        for engine, log in zip(engines, logs, strict=True):
            step(engine, row, log)
    assert [log.end(engine) for engine, log in zip(engines, logs, strict=True)] == alone
    assert engines[0].program.feature_names != engines[1].program.feature_names


def test_worlds_stepped_by_threads_at_the_same_time_play_as_alone(rich, cells):
    program = compile(rich())
    seeds = range(6)
    alone = [played(MettaGrid(program, cells(MAP), seed), random_actions(seed)) for seed in seeds]
    start = threading.Barrier(3)

    def play(first):
        engines = [(seed, MettaGrid(program, cells(MAP), seed)) for seed in (first, first + 3)]
        start.wait()
        return {seed: played(engine, random_actions(seed)) for seed, engine in engines}

    with ThreadPoolExecutor(3) as pool:
        together = {seed: digest for part in pool.map(play, range(3)) for seed, digest in part.items()}
    assert [together[seed] for seed in seeds] == alone


def test_a_world_may_wander_from_thread_to_thread(rich, cells):
    alone = played(MettaGrid(rich(), cells(MAP), 5), random_actions(6))
    engine = MettaGrid(rich(), cells(MAP), 5)

    log = Log()
    for row in random_actions(6):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(step, engine, row, log).result()
    assert log.end(engine) == alone


def test_two_threads_cannot_step_one_world_at_once(game, cells):
    """One of them gets an error; the world has taken exactly the steps that raised none."""
    drawn = "\n".join(["@" * 20, *["#" * 20] * 19])
    # More results than are cached, and a value that differs by agent, so that agents cannot share it.
    crowds = [QueryCountValue(query=query("type:wall", [isNear("type:agent", radius=i)])) for i in range(1, 21)]
    own = weighted_sum([*((1.0, crowd) for crowd in crowds), (1.0, inv("gold"))])
    agent = AgentConfig(rewards={"crowd": AgentReward(reward=own)})
    engine = MettaGrid(game(drawn, agent=agent), cells(drawn), 0)  # a step takes some milliseconds
    start = threading.Barrier(2)

    def run(_):
        start.wait()
        taken, told = 0, []
        for _ in range(100):
            try:
                engine.step()
                taken += 1
            except RuntimeError as error:
                told.append(str(error))
        return taken, told

    with ThreadPoolExecutor(2) as pool:
        (first, told_first), (second, told_second) = pool.map(run, range(2))
    assert first + second == engine.current_step
    assert told_first or told_second
    assert set(told_first + told_second) == {"Another thread is stepping this world"}
