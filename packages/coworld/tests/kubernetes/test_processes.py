"""Paint Arena through the command line, with every container a local process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from packages.coworld.tests.kubernetes.conftest import RUNNER_IMAGE, TestCluster

IMAGE = "softmax/paintarena:latest"


@pytest.mark.slow
def test_paint_arena_leaves_the_same_files_as_with_local_processes(cluster: TestCluster, tmp_path: Path) -> None:
    cluster.node.as_processes = True
    cluster.node.programs[IMAGE] = []
    env = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig), "COWORLD_RUNNER_IMAGE": RUNNER_IMAGE}

    def run(engine: str) -> Path:
        folder = tmp_path / engine
        words = ["run-episode", "paintarena", "--engine", engine, "-o", str(folder), "--json"]
        command = [sys.executable, "-m", "coworld", *words]
        answer = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        assert json.loads(answer.stdout)["engine"] == engine
        return folder

    here, there = run("process"), run("kubernetes")
    # The game does not wait for moves, so the scores depend on the machine's load.
    results = [json.loads((folder / "results.json").read_text()) for folder in (here, there)]
    assert results[0].keys() == results[1].keys() and results[0]["ticks"] == results[1]["ticks"]
    names = {path.relative_to(here).as_posix() for path in here.rglob("*") if path.is_file()}
    fetched = {path.relative_to(there).as_posix() for path in there.rglob("*") if path.is_file()}
    assert names - fetched <= {"config.json"}, "the tokens stay in the cluster"
    assert "slot 0 finished with scores" in (there / "logs" / "policy_agent_0.log").read_text()
    assert cluster.left() == []


def test_without_a_cluster_the_command_says_what_to_do(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "KUBECONFIG": ""}
    command = [sys.executable, "-m", "coworld", "run-episode", "paintarena", "--engine", "kubernetes"]
    answer = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 1
    assert "no Kubernetes cluster is configured: set KUBECONFIG" in answer.stderr
    assert "Traceback" not in answer.stderr
