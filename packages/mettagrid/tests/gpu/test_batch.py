"""Batches on a GPU: their kernels, run by the CPU, give what the engine of the CPU gives."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from mettagrid.batch import Batch as CpuBatch
from mettagrid.batch import MapPool
from mettagrid.compiler import Program, compiled
from mettagrid.config.game_value import stat
from mettagrid.config.mettagrid_config import MettaGridConfig, ObsConfig
from mettagrid.config.reward_config import reward
from mettagrid.gpu import Batch, GpuOutOfMemory, GpuUnavailable

SEEDS = [4, 9, 2**32 - 1]
ARRAYS = ("observations", "rewards", "terminals", "truncations")


def room(steps: int = 0, agents: int = 3, **game: object) -> MettaGridConfig:
    config = MettaGridConfig.EmptyRoom(num_agents=agents, width=11, height=8, with_walls=True)
    config.game.max_steps = steps
    for name, value in game.items():
        setattr(config.game, name, value)
    return config


def rows(config: MettaGridConfig, seed: int) -> np.ndarray:
    builder = config.game.map_builder.model_copy(update={"seed": seed})
    return builder.create().build_for_num_agents(config.game.num_agents).grid


@pytest.fixture(scope="module")
def config() -> MettaGridConfig:
    return room(steps=6)


@pytest.fixture(scope="module")
def program(config: MettaGridConfig) -> Program:
    return compiled(config)


def emulated(program: Program, maps: object, seeds: list[int] = SEEDS, **options: object) -> Batch:
    return Batch(program, maps, seeds, device="emulated", **options)


def assert_same(cpu: CpuBatch, gpu: Batch, step: object = None) -> None:
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(cpu, name), getattr(gpu, name).numpy(), err_msg=f"{name}, step {step}")
    assert [world.state_hash() for world in cpu.worlds] == gpu.state_hashes().tolist()
    assert cpu.episodes.tolist() == gpu.episodes.tolist()


def play(cpu: CpuBatch, gpu: Batch, steps: int, seed: int = 1) -> None:
    draw = np.random.default_rng(seed)
    for step in range(steps):
        actions = draw.integers(0, len(gpu.program.action_names) + 1, gpu.num_agents).astype(np.int32)
        cpu.actions[:] = actions
        gpu.actions.copy_(torch.from_numpy(actions))
        cpu.step()
        gpu.step()
        assert_same(cpu, gpu, step)


@pytest.mark.parametrize("next_seed", ["same", "next"])
def test_ended_worlds_begin_again_on_their_map(config: MettaGridConfig, program: Program, next_seed: str) -> None:
    maps = [program.map(rows(config, seed)) for seed in (1, 2, 1)]
    worlds = [program.world(built, seed) for built, seed in zip(maps, SEEDS, strict=True)]
    with CpuBatch(worlds, next_seed=next_seed) as cpu, emulated(program, maps, next_seed=next_seed) as gpu:
        assert_same(cpu, gpu)
        play(cpu, gpu, 20)
        assert gpu.episodes.tolist() == [3, 3, 3]


def test_pooled_maps_follow_each_other(config: MettaGridConfig, program: Program) -> None:
    pool = MapPool(program, lambda number: rows(config, number), size=5)
    worlds = [program.world(pool[0], seed) for seed in SEEDS]
    with CpuBatch(worlds, maps=pool) as cpu, emulated(program, pool) as gpu:
        assert_same(cpu, gpu)
        play(cpu, gpu, 20)
        cpu.reset(worlds=[1])
        gpu.reset(worlds=[1])
        assert_same(cpu, gpu)
        cpu.reset(seeds=[7, 8], worlds=[2, 0])
        gpu.reset(seeds=[7, 8], worlds=[2, 0])
        assert_same(cpu, gpu)
        play(cpu, gpu, 8)


def test_random_runs_are_those_of_the_cpu(config: MettaGridConfig, program: Program) -> None:
    built = program.map(rows(config, 3))
    with CpuBatch([program.world(built, seed) for seed in SEEDS]) as cpu, emulated(program, built) as gpu:
        np.testing.assert_array_equal(cpu.run(9, seed=11), gpu.run(9, seed=11).numpy())
        assert_same(cpu, gpu)
        actions = np.random.default_rng(3).integers(0, 5, (4, gpu.num_agents)).astype(np.int32)
        np.testing.assert_array_equal(
            cpu.run(4, actions=actions), gpu.run(4, actions=torch.from_numpy(actions)).numpy()
        )
        assert_same(cpu, gpu)


def test_a_world_can_be_looked_at(config: MettaGridConfig, program: Program) -> None:
    built = program.map(rows(config, 3))
    cpu = [program.world(built, seed) for seed in SEEDS]
    with CpuBatch(cpu) as batch, Batch.from_worlds(cpu, device="emulated") as gpu:
        play(batch, gpu, 4)
        for number, world in enumerate(cpu):
            copy = gpu.world(number)
            assert copy.diff(world) == []
            assert copy.get_episode_stats() == world.get_episode_stats()
            assert copy.grid_objects().keys() == world.grid_objects().keys()


def test_rewards_for_what_agents_see_are_those_of_the_cpu() -> None:
    config = room(steps=6)
    config.game.agent.rewards = {"visited": reward(stat("cell.visited"))}
    program = compiled(config)
    built = program.map(rows(config, 3))
    with CpuBatch([program.world(built, seed) for seed in SEEDS]) as cpu, emulated(program, built) as gpu:
        assert_same(cpu, gpu)
        play(cpu, gpu, 8)


def test_a_world_that_fails_is_named_and_plays_its_next_episode() -> None:
    config = room(obs=ObsConfig(num_tokens=8))
    program = compiled(config)
    with pytest.raises(
        RuntimeError, match=r"World 0: Observation token budget exceeded .* \(2 other worlds failed too\)"
    ):
        emulated(program, program.map(rows(config, 1)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p, m: emulated(p, m, []), "at least one world"),
        (lambda p, m: emulated(p, [m, m]), "one map for each of the 3 worlds, not 2"),
        (lambda p, m: emulated(p, [m], map_of=[0, 0, 1]), "below 1"),
        (lambda p, m: emulated(p, m, spread=3), "power of two"),
        (lambda p, m: emulated(p, m, next_seed="other"), "'same' or 'next'"),
        (lambda p, m: emulated(p, m).reset(seeds=[1]), "one seed for each of the 3 worlds, not 1"),
        (lambda p, m: emulated(p, m).reset(worlds=[1, 1]), "named twice"),
        (lambda p, m: emulated(p, m).run(3), "needs a seed"),
    ],
)
def test_wrong_arguments_say_what_is_wrong(
    program: Program, config: MettaGridConfig, change: Callable[[Program, object], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        change(program, program.map(rows(config, 1)))


def test_a_closed_batch_says_so(program: Program, config: MettaGridConfig) -> None:
    gpu = emulated(program, program.map(rows(config, 1)))
    gpu.close()
    gpu.close()
    with pytest.raises(RuntimeError, match="closed"):
        gpu.step()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_one_sentence_says_why(program: Program, config: MettaGridConfig) -> None:
    with pytest.raises(GpuUnavailable, match=r"^[^\n]*(CUDA|GPU)[^\n]*\.$|pytorch\.org"):
        Batch(program, program.map(rows(config, 1)), SEEDS)


def test_too_many_worlds_say_how_much_memory_they_need(program: Program, config: MettaGridConfig) -> None:
    from mettagrid.gpu.memory import Memory
    from mettagrid.gpu.tables import Tables

    with pytest.raises(
        GpuOutOfMemory, match=r"^100000000000 worlds need \d+\.\d GB of memory on cpu; use fewer worlds\.$"
    ):
        Memory(program, Tables(program), [program.map(rows(config, 1))], 10**11, torch.device("cpu"))
