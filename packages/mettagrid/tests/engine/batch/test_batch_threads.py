"""Threads of a batch: faults, other Python threads, forks, and the end."""

import gc
import os
import threading
from _thread import interrupt_main
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from mettagrid.batch import Batch, MapPool
from mettagrid.config.filter import isNear
from mettagrid.config.game_value import QueryCountValue, inv, weighted_sum
from mettagrid.config.mettagrid_config import AgentConfig, AgentReward
from mettagrid.config.query import query
from mettagrid.mettagrid_c import MettaGrid

EAST = 4
TOLD = "Another thread is stepping this"


@pytest.fixture
def corridor(program, cells):
    """Four worlds; in the second and the last a box comes into sight after two steps east, and is one too many."""
    made = program("@.......b", max_steps=0)
    return [made.world(cells(drawn), 0) for drawn in ("@........", "@.......b", "@........", "@.......b")]


def few_tokens():
    return np.zeros((4, 6, 3), np.uint8)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_fault_names_its_world_and_the_others_have_been_stepped(corridor, threads):
    batch = Batch(corridor, threads=threads, observations=few_tokens())
    batch.actions[:] = EAST
    batch.step()
    with pytest.raises(
        RuntimeError,
        match=r"^World 1: Observation token budget exceeded for agent 0 at step 2 \(location=0,2, budget=6, "
        r"attempted=\d+, dropped=\d+\) \(1 other world failed too\)$",
    ):
        batch.step()
    assert [world.current_step for world in corridor] == [2, 2, 2, 2]
    batch.actions[:] = 0
    batch.actions[[1, 3]] = 3  # back west, out of sight
    batch.step()
    assert [world.current_step for world in corridor] == [3, 3, 3, 3]


@pytest.mark.parametrize("threads", [1, 4])
def test_in_a_run_a_world_stops_at_its_fault_and_the_others_go_on(corridor, threads):
    batch = Batch(corridor, threads=threads, observations=few_tokens())
    with pytest.raises(RuntimeError, match=r"^World 1: Observation token budget exceeded for agent 0 at step 2 "):
        batch.run(9, actions=np.full((9, 4), EAST, np.int32))
    assert [world.current_step for world in corridor] == [9, 2, 9, 2]


@pytest.fixture
def heavy(game, cells):
    """Three worlds whose steps take some milliseconds."""
    drawn = "\n".join(["@" * 20, *["#" * 20] * 19])
    crowd = QueryCountValue(query=query("type:wall", [isNear("type:agent", radius=1)]))
    own = weighted_sum([(1.0, crowd), (1.0, inv("gold"))])  # differs by agent, so that agents cannot share it
    made = MettaGrid(game(drawn, agent=AgentConfig(rewards={"crowd": AgentReward(reward=own)})), cells(drawn), 0)
    return [made, *(made.program.world(cells(drawn), seed) for seed in (1, 2))]


def attempts(call, start, count=100):
    """Return how often a call succeeded, and the messages of its failures."""
    start.wait()
    well, told = 0, set()
    for _ in range(count):
        try:
            call()
            well += 1
        except RuntimeError as error:
            told.add(str(error))
    return well, told


def test_two_threads_cannot_step_one_batch_at_once(heavy):
    batch, start = Batch(heavy, threads=2), threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        (first, told_first), (second, told_second) = pool.map(attempts, [batch.step] * 2, [start] * 2)
    assert {world.current_step for world in heavy} == {first + second}
    assert told_first | told_second == {f"{TOLD} batch or one of its worlds"}


def test_a_world_cannot_be_used_while_its_batch_steps(heavy):
    batch, start, world = Batch(heavy, threads=2), threading.Barrier(2), heavy[1]
    calls = [
        batch.step,
        lambda: (world.step(), world.get_episode_stats(), world.grid_objects(), world.current_step),
    ]
    with ThreadPoolExecutor(2) as pool:
        (batched, told_batch), (_, told_world) = pool.map(attempts, calls, [start] * 2)
    assert heavy[0].current_step == heavy[2].current_step == batched
    assert told_batch | told_world
    assert told_world <= {f"{TOLD} world"}
    assert told_batch <= {f"{TOLD} batch or one of its worlds"}


def test_a_batch_cannot_be_closed_while_it_steps(heavy):
    batch, start = Batch(heavy, threads=2), threading.Barrier(2)
    told = []

    def close():
        start.wait()
        while runner.is_alive():
            try:
                batch.close()
                return
            except RuntimeError as error:
                told.append(str(error))

    def run():
        start.wait()
        try:
            batch.run(50, seed=1)
        except RuntimeError as error:
            told.append(str(error))

    runner, closer = threading.Thread(target=run), threading.Thread(target=close)
    runner.start()
    closer.start()
    runner.join()
    closer.join()
    assert set(told) <= {f"{TOLD} batch or one of its worlds", "The batch is closed"}
    assert told


def interrupt_when_busy(world):
    """Press Ctrl-C as soon as a batch steps the world."""

    def watch():
        try:
            while world.current_step >= 0:
                pass
        except RuntimeError:
            interrupt_main()

    threading.Thread(target=watch).start()


def test_a_long_run_can_be_interrupted(worlds):
    batch = Batch(worlds(4), threads=2)
    interrupt_when_busy(batch.worlds[0])
    with pytest.raises(KeyboardInterrupt):
        batch.run(10**9, seed=1)
    taken = 8 * batch.episodes + [world.current_step for world in batch.worlds]
    assert len(set(taken.tolist())) == 1
    batch.step()


def test_waiting_for_a_map_can_be_interrupted(program, rows):
    made, for_ever = program(), threading.Event()

    def build(number):
        return for_ever.wait() and rows

    with MapPool(made, build, 2) as maps:
        world = made.world(rows, 0)
        interrupt_when_busy(world)
        with pytest.raises(KeyboardInterrupt):
            Batch([world], maps=maps)
        for_ever.set()


def test_different_batches_step_at_the_same_time(worlds, shown):
    alone = [Batch(worlds(5), threads=2) for _ in range(3)]
    together = [Batch(worlds(5), threads=2) for _ in range(3)]
    for batch in alone:
        batch.run(60, seed=4)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda batch: [batch.run(20, seed=4) for _ in range(3)], together))
    assert [shown(batch) for batch in together] == [shown(batch) for batch in alone]


def helpers():
    """Return the number of threads of this process that belong to batches."""
    gc.collect()
    return sum(name.read_text() == "mettagrid\n" for name in Path("/proc/self/task").glob("*/comm"))


def test_more_threads_than_worlds_are_no_more_use(worlds):
    before = helpers()
    batch = Batch(worlds(3), threads=50)
    assert helpers() - before == 2
    batch.step()


@pytest.mark.parametrize("end", [Batch.close, lambda batch: None])
def test_the_threads_end_with_the_batch(worlds, end):
    before = helpers()
    batch = Batch(worlds(5), threads=4)
    batch.step()
    assert helpers() == before + 3
    end(batch)
    del batch
    assert helpers() == before


def said_in_a_fork(call):
    """Return the result or the exception of a call in the child of a fork, as text."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = str(call())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        said = file.read()
    os.waitpid(child, 0)
    return said


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_after_a_fork_the_child_is_told_to_make_a_batch_of_its_own(worlds):
    batch = Batch(worlds(4), threads=2)
    batch.step()

    def use():
        try:
            batch.step()
        except RuntimeError as error:
            batch.close()
            Batch(batch.worlds, threads=2).step()
            return error, [world.current_step for world in batch.worlds]

    said = said_in_a_fork(use)
    assert "The batch was made before a fork and its threads are in the other process; make a batch here" in said
    assert said.endswith("[2, 2, 2, 2])")
    batch.step()
    assert [world.current_step for world in batch.worlds] == [2, 2, 2, 2]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_batch_of_one_thread_survives_a_fork(worlds):
    batch = Batch(worlds(4))
    assert said_in_a_fork(lambda: (batch.step(), batch.worlds[3].current_step)) == "(None, 1)"
