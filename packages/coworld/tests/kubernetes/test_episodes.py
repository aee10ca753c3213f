"""Whole episodes in a cluster, from the Job to the fetched files."""

import json
from collections.abc import Callable
from typing import Any


def test_an_episode_runs_as_a_job_and_leaves_nothing(cluster: Any, make_request: Callable[..., Any]) -> None:
    outcome = cluster.run(make_request())
    assert outcome.error is None, outcome.error
    assert outcome.results == {"scores": [3.0, 3.0]}
    files = {path.relative_to(outcome.workspace).as_posix() for path in outcome.workspace.rglob("*") if path.is_file()}
    assert files >= {"results.json", "replay", "replay.z", "events.json", "player_status.json", "isolation.json"}
    assert files >= {"logs/game.stdout.log", "logs/policy_agent_0.log", "policy_artifact_0.zip", "worker_timings.json"}
    assert cluster.left() == []
    log = (outcome.workspace / "logs" / "game.stdout.log").read_text()
    assert log.index("a viewer connected") < log.index("player ") < log.rindex("player ")
    status = json.loads((outcome.workspace / "player_status.json").read_text())
    assert [(one["state"], one["exit_code"]) for one in status["players"]] == [("exited", 0), ("exited", 0)]
