"""Worlds free their memory at once."""

import gc
import resource
import weakref
from pathlib import Path

import numpy as np
import pytest

from mettagrid.compiler import compile
from mettagrid.mettagrid_c import MettaGrid


@pytest.fixture
def make(game):
    """Worlds of 3,600 objects, 24 of them agents, in a third of a megabyte."""
    rows = np.full((60, 60), "wall", "U11")
    rows[1, 1:25] = "agent.agent"
    program = compile(game(num_agents=24))
    return lambda seed=0: MettaGrid(program, rows, seed)


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.slow  # and so not under the sanitizers, which keep freed memory for a while
def test_200_worlds_one_after_the_other_take_the_memory_of_one(make):
    for _ in range(20):
        make().step()
    gc.collect()
    before = resident_bytes()
    for i in range(200):
        make(i).step()
    gc.collect()
    assert resident_bytes() - before < 16 * 2**20
    assert make().world_bytes > 64_000


def test_a_world_is_freed_without_the_garbage_collector(make):
    world = make()
    world.step()
    described = world.grid_objects()
    alive = weakref.ref(world)
    gc.disable()
    try:
        del world
        assert alive() is not None  # the calls in the descriptions need it
        del described
        assert alive() is None
    finally:
        gc.enable()


def test_a_world_keeps_its_program(game, cells):
    program = compile(game("@"))
    alive = weakref.ref(program)
    world = MettaGrid(program, cells("@"), 0)
    del program
    gc.collect()
    world.step()
    assert alive() is not None
    del world
    gc.collect()
    assert alive() is None


def test_a_world_that_could_not_be_made_leaves_nothing_behind(game, cells):
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        with pytest.raises(ValueError):
            MettaGrid(game("@"), cells("#"), 0)
    gc.collect()
    assert len(gc.get_objects()) - before < 2000
