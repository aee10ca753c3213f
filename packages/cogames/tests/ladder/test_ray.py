"""A ladder on two Ray nodes, one of which is killed: the same files as on one machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cogames.episodes.executors import LocalExecutor
from cogames.episodes.ray_executor import RayExecutor
from cogames.ladder import Ladder, make_entrants, make_missions, play_ladder
from cogames.missions import choose_missions
from tests.support import missing

POLICY = """
from helper import DIRECTIONS
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action

class Agent(AgentPolicy):
    steps = 0

    def step(self, obs):
        self.steps += 1
        return Action(name=DIRECTIONS[self.steps % len(DIRECTIONS)])

class Walker(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self.policy_env_info)
"""


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    try:
        import ray
        from ray.cluster_utils import Cluster
    except ImportError:
        missing("ray is not installed")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    started.add_node(num_cpus=1)
    yield started
    ray.shutdown()
    started.shutdown()


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_ladder_on_ray_survives_the_loss_of_a_node(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "ray_walker.py").write_text(POLICY)
    (code / "helper.py").write_text('DIRECTIONS = ["move_north", "move_east", "move_south"]\n')
    monkeypatch.chdir(code)
    monkeypatch.syspath_prepend(str(code))
    missions = make_missions(choose_missions(["arena"], cogs=2, max_steps=20))
    ladder = Ladder(make_entrants(["ray_walker.Walker", "random", "noop"]), missions, maps=4)
    play_ladder(ladder, tmp_path / "local", executor=LocalExecutor(1), replays=1)

    lost: list[Any] = []

    def kill_a_node(done: int, total: int) -> None:
        if done >= 2 and not lost:
            lost.extend(cluster.worker_nodes)
            cluster.remove_node(lost[0], allow_graceful=False)

    executor = RayExecutor(cluster.address)
    play_ladder(ladder, tmp_path / "ray", executor=executor, replays=1, on_progress=kill_a_node)
    assert lost
    assert files(tmp_path / "ray") == files(tmp_path / "local")
