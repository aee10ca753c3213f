"""What decided a match: the worker's explanation, failures, and their places in the logs of the caller's policies."""

import json
from typing import Any

from fastapi.testclient import TestClient

from observatory.store import job_key
from packages.observatory.tests.world import FREEPLAY, World

COUNTS = {"steps": 20, "idle": 3, "blocked": 2, "failed": 0, "missed": 0, "cells": 9}
POLICY = {"status": "ok", "failed_step": None, "reward": [1.0], "taken": [2], "hearts": [1], "deaths": None}
EXPLANATION: dict[str, Any] = {
    "version": 1,
    "steps": 10,
    "max_steps": 10,
    "ticks": [10],
    "held_name": "junctions",
    "teams": [{"name": "cogs", "agents": [0, 1, 2, 3], "held": [2]}],
    "policies": [
        {**POLICY, "name": "a:v1", "agents": [0, 1], "counts": COUNTS},
        {**POLICY, "name": "b:v1", "agents": [2, 3], "counts": COUNTS},
    ],
    "shared_reward": False,
    "summary": ["Team cogs holds 2.0 junctions on average and 2 at the end"],
    "moments": [{"tick": 4, "kind": "capture", "text": "a:v1 takes a junction", "policy": 0, "team": 0}],
    "differences": [],
}
LOG = b"""hello
Traceback (most recent call last):
  File "other.py", line 1, in load
KeyError: an earlier one, which was caught
step 7
The policy failed at step 7
Traceback (most recent call last):
  File "mine.py", line 3, in step
ValueError: no
"""


def _failed(world: World, ada: Any, bob: Any) -> str:
    match = world.match("open", "competition", [(world.version(ada, "a"), 2), (world.version(bob, "b"), 2)])
    report = {"isolation": "namespaces", "start_ms": 1.0, "actions": None}
    own = {**report, "name": "a:v1", "status": "crashed", "failed_step": 7}
    late = {**report, "name": "b:v1", "status": "timed_out", "missed_deadlines": 5}
    world.fail(match, "crashed: ValueError: no\nat step 7, mine.py, line 3, in step", runtime={"policies": [own, late]})
    for agent, text in ((0, LOG), (2, b"what bob alone may read\n")):
        world.app.state.store.put(job_key(world.job_of(match), f"policy_agent_{agent}.txt"), text)
    return f"/tournament/matches/{match}/explanation"


def test_a_completed_match_has_the_explanation_of_its_worker(client: TestClient, world: World, ada, bob) -> None:
    world.season()
    match = world.match("open", "competition", [(world.version(ada, "a"), 2), (world.version(bob, "b"), 2)])
    path = f"/tournament/matches/{match}/explanation"
    waiting = {"explanation": None, "why_not": "The match has not ended yet", "failures": []}
    assert client.get(path).json() == waiting
    world.play(match, [1.0, 1.0, 1.0, 1.0])
    old = client.get(path).json()
    assert old["explanation"] is None and "older" in old["why_not"]
    key = job_key(world.job_of(match), "explanation.json")
    world.app.state.store.put(key, json.dumps(EXPLANATION).encode())
    assert client.get(path).json() == {"explanation": EXPLANATION, "why_not": None, "failures": []}
    world.app.state.store.put(key, b'{"version": 1}')
    assert client.get(path).json()["explanation"] is None


def test_only_the_owner_sees_the_place_in_the_log(client: TestClient, world: World, ada, bob, admin) -> None:
    world.season()
    path = _failed(world, ada, bob)
    [crashed, late] = client.get(path).json()["failures"]
    assert (crashed["name"], crashed["status"], crashed["step"], crashed["log"]) == ("a:v1", "crashed", 7, None)
    assert crashed["message"].startswith("crashed: ValueError: no")
    assert (late["status"], late["missed_deadlines"], late["message"], late["log"]) == ("timed_out", 5, None, None)

    [mine, others] = client.get(path, headers=ada.headers).json()["failures"]
    assert (mine["log"]["agent"], mine["log"]["line"]) == (0, 7)
    assert mine["log"]["lines"][-1] == "ValueError: no" and others["log"] is None
    [others, mine] = client.get(path, headers=bob.headers).json()["failures"]
    assert others["log"] is None and mine["log"]["lines"] == ["what bob alone may read"]
    assert all(failure["log"] is not None for failure in client.get(path, headers=admin.headers).json()["failures"])


def test_explanations_of_private_seasons_are_hidden(client: TestClient, world: World, ada, bob, admin) -> None:
    world.season(FREEPLAY, public=False)
    path = _failed(world, ada, bob)
    assert client.get(path, headers=ada.headers).status_code == 404
    assert client.get(path, headers=admin.headers).status_code == 200
