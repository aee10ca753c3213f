"""Workers on two Ray nodes, one of which is killed: the table is that of an undisturbed season."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from observatory.settings import Settings
from packages.observatory.tests.commissioner.killing import Nursery
from packages.observatory.tests.fleet import running
from tests.support import missing

REPETITIONS = 5


@pytest.mark.any_database
def test_a_season_survives_the_loss_of_a_node(tmp_path: Path) -> None:
    try:
        import ray
    except ImportError:
        missing("ray is not installed")
    matches = running.prepare(tmp_path / "prepared", REPETITIONS, {})
    for run in ("peace", "war"):
        shutil.copytree(tmp_path / "prepared", tmp_path / run)
    with Nursery() as nursery:
        with running.league(nursery, tmp_path / "peace", {}) as league, running.played_by_hand(league, 2):
            league.wait_for(matches)
            expected = league.table()
        with running.league(nursery, tmp_path / "war", {}) as league, running.cluster(2) as cluster:
            (fleet,) = running.make_fleets(league, 2)
            league.table()  # the server answers
            fleet.set_size(2)
            running.wait_for_workers(fleet, 2, lambda: league.log)
            nodes = running.node_of(fleet)
            assert len(set(nodes.values())) == 2
            league.wait_for(matches // 5)

            lost = next(node for node in cluster.worker_nodes if node.node_id in nodes.values())
            cluster.remove_node(lost, allow_graceful=False)
            league.wait_for(matches)
            assert league.table() == expected
            running.wait_for_workers(fleet, 2, lambda: league.log, without=lost.node_id)

            # A program that starts again finds the workers of the last one.
            (again,) = running.make_fleets(league, 2)
            assert again.slots().keys() == fleet.slots().keys()
            assert again.drain(seconds=60)
            assert ray.util.list_named_actors(all_namespaces=True) == []
            assert "Traceback" not in league.log
    running.check_nothing_counts_twice(Settings(data_dir=tmp_path / "war"), matches)
