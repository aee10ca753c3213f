"""Training worlds on a GPU give what those on the CPU give. The kernels run on the CPU here."""

from typing import Any

import numpy as np
import pytest
import torch

from cogames_training.args import SettingError
from cogames_training.curriculum import Rotation
from cogames_training.device_worlds import DeviceWorlds
from cogames_training.engines import make_worlds
from cogames_training.tasks import make_tasks
from cogames_training.worlds import TrainingWorlds, WorldSettings
from mettagrid.config.mettagrid_config import MettaGridConfig


class EmulatedWorlds(DeviceWorlds):
    device = "emulated"


def make_pair(steps: int) -> tuple[TrainingWorlds, EmulatedWorlds]:
    config = MettaGridConfig.EmptyRoom(num_agents=3, width=12, height=9, with_walls=True)
    config.game.max_steps = steps
    (task,) = make_tasks([("room", config)], None, seed=3)
    settings = WorldSettings(seed=5, map_seed=None, maps=4, total_worlds=6)
    pair = [kind(Rotation([task]), range(6), settings) for kind in (TrainingWorlds, EmulatedWorlds)]
    return pair[0], pair[1]


def arrays(worlds: TrainingWorlds) -> dict[str, np.ndarray]:
    names = ("observations", "rewards", "ended", "terminated", "present", "ages", "returns")
    return {name: np.asarray(getattr(worlds, name)).copy() for name in names}


def assert_same(cpu: TrainingWorlds, gpu: TrainingWorlds) -> None:
    for (name, here), there in zip(arrays(cpu).items(), arrays(gpu).values(), strict=True):
        np.testing.assert_array_equal(here, there, err_msg=name)
    assert cpu.just_begun == gpu.just_begun
    for (place, task, here), (other, _, there) in zip(cpu.finals, gpu.finals, strict=True):
        assert place == other and task == 0
        np.testing.assert_array_equal(here, np.asarray(there))


def play(worlds: TrainingWorlds, rows: np.ndarray) -> None:
    worlds.actions[:] = rows
    worlds.step()


def test_episodes_begin_and_end_alike_on_both_engines() -> None:
    cpu, gpu = make_pair(steps=7)
    draw = np.random.default_rng(1)
    for _ in range(20):
        rows = draw.integers(0, 5, cpu.rows)
        play(cpu, rows)
        play(gpu, rows)
        assert_same(cpu, gpu)
    assert len(cpu.episodes) > 6
    for here, there in zip(cpu.episodes, gpu.episodes, strict=True):
        assert (here.world, here.steps, here.is_whole) == (there.world, there.steps, there.is_whole)
        np.testing.assert_array_equal(here.rewards, there.rewards)
        assert here.stats == there.stats
    cpu.close()
    gpu.close()


def test_a_stopped_run_continues_on_the_other_engine() -> None:
    cpu, gpu = make_pair(steps=9)
    draw = np.random.default_rng(2)
    for _ in range(5):
        play(cpu, draw.integers(0, 5, cpu.rows))
    begun: list[Any] = []
    gpu.restore(cpu.state(), begun.append)
    assert begun
    np.testing.assert_array_equal(cpu.observations, np.asarray(gpu.observations))
    np.testing.assert_array_equal(cpu.ages, gpu.ages)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_the_cpu_plays_when_it_may() -> None:
    (task,) = make_tasks([("room", MettaGridConfig.EmptyRoom(num_agents=1))], None, seed=3)
    given = Rotation([task]), range(1), WorldSettings(seed=5, map_seed=None, maps=1, total_worlds=1)
    messages: list[str] = []
    with pytest.raises(SettingError, match=r"CUDA|GPU"):
        make_worlds("gpu", "gpu", *given, tell=messages.append)
    worlds = make_worlds("gpu", "auto", *given, tell=messages.append)
    assert type(worlds) is TrainingWorlds
    assert len(messages) == 1 and messages[0].endswith("The CPU plays the worlds.")
    worlds.close()
