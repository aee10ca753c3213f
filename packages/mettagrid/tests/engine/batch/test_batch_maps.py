"""Maps from a pool: a world's map depends only on its number and its episode."""

import gc
import threading

import numpy as np
import pytest

from mettagrid.batch import Batch, MapBuildError, MapPool
from mettagrid.compiler import compile
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.map_builder.random_map import RandomMapBuilder

COLUMNS = "#@" + "." * 9 + "@#"


@pytest.fixture
def strip(program):
    """A game for two agents on one row; its maps differ in their number of boxes."""
    return program(COLUMNS, max_steps=3)


@pytest.fixture
def numbered(cells):
    return lambda number: cells(COLUMNS.replace(".", "b", number))


def boxes(batch):
    return [int(world.get_game_stat("objects.box") or 0) for world in batch.worlds]


def slowly(build):
    """Later maps build faster, so that several threads finish out of order."""

    def slow(number):
        sum(range(400_000 // (number + 1)))
        return build(number)

    return slow


@pytest.mark.parametrize("builders", [1, 3])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_world_and_episode_choose_the_map_however_slow_it_is_built(strip, numbered, shown, builders, threads):
    with MapPool(strip, numbered, 7) as ready, MapPool(strip, slowly(numbered), 7, threads=builders) as slow:
        assert len(list(ready)) == 7
        expected = Batch([strip.world(ready[0], 5) for _ in range(3)], maps=ready)
        batch = Batch([strip.world(ready[0], 5) for _ in range(3)], maps=slow, threads=threads)
        for step in range(15):
            batch.run(1, seed=2)
            expected.run(1, seed=2)
            assert boxes(batch) == [(world + step // 3 * 3) % 7 for world in range(3)]
            assert shown(batch) == shown(expected)


def test_a_run_waits_for_maps_too(strip, numbered, shown):
    with MapPool(strip, numbered, 9) as ready, MapPool(strip, slowly(numbered), 9, threads=2) as slow:
        first, second = (
            Batch([strip.world(ready[0], 5) for _ in range(4)], maps=maps, next_seed="next", threads=threads)
            for maps, threads in ((ready, 1), (slow, 3))
        )
        assert first.run(20, seed=1).tolist() == second.run(20, seed=1).tolist()
        assert shown(first) == shown(second)


def test_a_reset_goes_to_the_next_map_and_with_seeds_to_the_first(strip, numbered):
    with MapPool(strip, numbered, 8) as maps:
        batch = Batch([strip.world(maps[0], 0) for _ in range(2)], maps=maps)
        batch.reset()
        assert boxes(batch) == [2, 3]
        batch.reset(worlds=[0])
        assert boxes(batch) == [4, 3]
        batch.reset(seeds=[1, 1])
        assert boxes(batch) == [0, 1]


def test_maps_of_a_pool_may_differ_in_size(strip, cells):
    def build(number):
        return cells("\n".join([COLUMNS + "." * number, *["." * (len(COLUMNS) + number)] * number]))

    with MapPool(strip, build, 40) as maps:
        batch = Batch([strip.world(maps[0], 0) for _ in range(2)], maps=maps, threads=2)
        sizes = []
        for _ in range(20):
            sizes += [(world.map_height, world.map_width) for world in batch.worlds]
            batch.run(3, seed=1)
            batch.reset()
        assert sizes == [(1 + number, len(COLUMNS) + number) for number in range(40)]


def test_worlds_outlive_the_pool_that_gave_them_their_maps(strip, numbered):
    maps = MapPool(strip, numbered, 4)
    batch = Batch([strip.world(maps[0], 0) for _ in range(2)], maps=maps)
    batch.run(4, seed=1)
    batch.close()
    worlds = batch.worlds
    del batch, maps
    gc.collect()
    again = Batch(worlds)
    again.reset()
    assert boxes(again) == [2, 3]


def test_a_builder_that_fails_is_one_clear_exception_and_the_other_worlds_go_on(strip, numbered):
    def build(number):
        if number == 4:
            raise ValueError("no room for boxes")
        return numbered(number)

    with MapPool(strip, build, 8) as maps:
        batch = Batch([strip.world(maps[0], 0) for _ in range(3)], maps=maps, threads=2)
        for _ in range(3):
            batch.step()
        for step in (1, 2):
            message = r"^World 1: Map 4 could not be built: ValueError: no room for boxes$"
            with pytest.raises(MapBuildError, match=message) as error:
                batch.step()
            assert isinstance(error.value.__cause__, ValueError)
            assert boxes(batch) == [3, 1, 5]
            assert [world.current_step for world in batch.worlds] == [step, 3, step]
        assert batch.episodes.tolist() == [1, 0, 1]
        with pytest.raises(MapBuildError, match=r"^Map 4 could not be built: ValueError: no room for boxes$"):
            maps[4]


def test_several_worlds_without_a_map_are_counted(strip):
    def build(number):
        raise KeyError("walls")

    with MapPool(strip, build, 3) as maps:
        worlds = [strip.world([["agent.agent", "agent.agent"]], 0) for _ in range(3)]
        message = r"^World 0: Map 0 could not be built: KeyError: 'walls' \(2 other worlds failed too\)$"
        with pytest.raises(MapBuildError, match=message):
            Batch(worlds, maps=maps)
        Batch(worlds).step()


def test_a_map_with_another_number_of_agents_is_refused(strip, cells):
    maps = MapPool(strip, lambda number: cells("#@..#"), 1)
    with pytest.raises(MapBuildError, match="the map has 1 agents, but the game has 2"):
        Batch([strip.world(cells(COLUMNS), 0)], maps=maps)


def test_who_waits_for_a_map_hears_when_the_pool_closes(strip, numbered):
    asked = threading.Event()

    def build(number):
        asked.wait()
        return numbered(number)

    maps = MapPool(strip, build, 2)
    closing = threading.Thread(target=lambda: (maps.close(), asked.set()))
    closing.start()
    with pytest.raises(MapBuildError, match=r"^Map 1 could not be built: its pool was closed, or belongs to another"):
        maps[1]
    closing.join()


def test_a_pool_builds_in_order_and_stops_when_nobody_uses_it(strip, numbered):
    built, go_on = [], threading.Semaphore(3)

    def build(number):
        go_on.acquire()
        built.append(number)
        return numbered(number)

    maps = MapPool(strip, build, 9)
    builder = next(thread for thread in threading.enumerate() if thread.name == "map pool 0")
    maps[2]
    del maps
    gc.collect()
    go_on.release()
    builder.join()
    assert built in ([0, 1, 2], [0, 1, 2, 3])


def test_a_pool_of_a_builder_has_the_maps_of_its_seeds():
    config = MettaGridConfig.EmptyRoom(num_agents=3)
    builder = RandomMapBuilder.Config(width=9, height=7, agents=3, seed=20, objects={"wall": 5})
    config.game.map_builder = builder
    made = compile(config)

    def drawn(number):
        return builder.model_copy(update={"seed": number}).create().build_for_num_agents(3).grid

    with MapPool.from_builder(made, builder, 3, 4) as maps:
        batch = Batch([made.world(maps[0], 0) for _ in range(4)], maps=maps)
        for number, world in enumerate(batch.worlds):
            agents = [[o["r"], o["c"]] for o in world.grid_objects(ignore_types=["wall"]).values()]
            assert agents == np.argwhere(drawn(20 + number) == "agent.agent").tolist()


def test_a_builder_without_a_seed_counts_from_zero():
    config = MettaGridConfig.EmptyRoom(num_agents=2)
    builder = RandomMapBuilder.Config(width=9, height=7, agents=2)
    made = compile(config)
    places = []
    for _ in range(2):
        with MapPool.from_builder(made, builder, 2, 3) as maps:
            batch = Batch([made.world(maps[0], 0) for _ in range(3)], maps=maps)
            places.append([[(o["r"], o["c"]) for o in world.grid_objects().values()] for world in batch.worlds])
    assert places[0] == places[1]
    assert len({tuple(place) for place in places[0]}) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 0}, r"^A map pool must have a size from 1 to 1000000, not 0\.$"),
        ({"size": 10**9}, r"^A map pool must have a size from 1 to 1000000, not 1000000000\.$"),
        ({"size": 3, "threads": 0}, r"^A map pool needs at least 1 thread, not 0\.$"),
    ],
)
def test_a_pool_that_makes_no_sense_is_refused(strip, numbered, arguments, message):
    with pytest.raises(ValueError, match=message):
        MapPool(strip, numbered, **arguments)


def test_there_are_no_maps_beyond_the_size(strip, numbered):
    with MapPool(strip, numbered, 2) as maps:
        for number in (2, -1):
            with pytest.raises(IndexError, match=rf"^There is no map {number} in a pool of 2\.$"):
                maps[number]
