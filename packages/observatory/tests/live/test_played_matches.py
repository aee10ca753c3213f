"""Real workers play a match and an episode of a Coworld, and people watch both."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi.testclient import TestClient
from websockets.sync.client import connect

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.replay import load_replay
from observatory.database.tables.jobs import Job
from observatory.job_states import JobStatus
from observatory.store import bundle_key, job_key
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.observatory.tests import world as worlds
from packages.observatory.tests.live.conftest import CHUNK, PATIENCE, WHOLE, Stage
from packages.observatory.tests.requests.conftest import Arena, arena
from packages.observatory.tests.world import World, bundle

__all__ = ["arena"]

pytestmark = pytest.mark.any_database

STEPS, SEED = 40, 918273645
SECRET = "only-the-policy-knows-this"
# It plays for some seconds, most of them asleep.
POLICY = f"""
import time
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Quiet(AgentPolicy):
    steps = 0
    def step(self, obs):
        self.steps += 1
        time.sleep(0.1)
        self._infos = {{"plan": "{SECRET}"}}
        print("{SECRET}", flush=True)
        return Action(name=["move_north", "move_east"][self.steps % 2])

class Mine(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Quiet(self._policy_env_info)
"""


@contextmanager
def working(url: str, token: str) -> Iterator[None]:
    """A worker plays one job meanwhile."""
    client = HttpJobClient(url, token)
    thread = threading.Thread(target=Worker(client, "one", minimum="namespaces").run, kwargs={"once": True})
    thread.start()
    try:
        yield
    finally:
        thread.join(120)
        client.close()


def until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 3 * PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)
    return found


def test_a_match_is_watched_while_a_worker_plays_it_and_no_secret_is_in_the_stream(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = MettaGridConfig.EmptyRoom(num_agents=4, width=8, height=8)
    env.game.max_steps = STEPS
    env.game.map_builder.seed = SEED + 2  # type: ignore[union-attr]
    monkeypatch.setattr(worlds, "ENV", env.model_dump(mode="json"))
    match = stage.match()
    job_id = stage.world.job_of(match)
    with stage.world.database.transaction() as session:
        job = session.get_one(Job, job_id)
        job.stored_spec = {**job.stored_spec, "seed": SEED, "policy_seed": SEED + 1}
    version = stage.http.get(f"/observatory/api/matches/{match}").json()["players"][0]["policy"]["id"]
    stage.app.state.store.put(bundle_key(uuid.UUID(version)), bundle({"my_policy.py": POLICY}))
    watcher = stage.watch(match)
    watcher.next("hello")
    assert watcher.state() == "waiting"
    with working(stage.url, stage.worker_token):
        opening, *chunks = watcher.data(3)
        page = stage.http.get(f"/observatory/api/matches/{match}").json()
        queue = stage.http.get("/observatory/api/queue").json()
        assert page["status"] == "running" and str(match) in page["watch_url"]
        assert [row["is_live"] for row in queue["running"]] == [True]
        live = stage.http.get("/observatory/api/live", params={"season": "open"}).json()
        assert [line["url"] for line in live] == [f"/observatory/matches/{match}"]
        front = stage.http.get("/observatory/api/front-match").json()
        assert front["kind"] == "live" and front["match"]["id"] == str(match)
        while (message := watcher.receive()) and not (isinstance(message, dict) and message["type"] == "final"):
            chunks += [message] if isinstance(message, bytes) else []
    assert stage.http.get(message["replay"]).status_code == 307
    assert opening[0] == WHOLE and all(chunk[0] == CHUNK for chunk in chunks) and len(chunks) > 3
    begins = [int.from_bytes(chunk[1:5], "little") for chunk in chunks]
    ends = [int.from_bytes(chunk[5:9], "little") for chunk in chunks]
    assert begins == [1, *(end + 1 for end in ends[:-1])] and ends[-1] == STEPS
    replay = load_replay(opening[1:])
    with stage.world.database.read() as session:
        job = session.get_one(Job, job_id)
        assert job.status is JobStatus.COMPLETED, job.error
    seeds = [str(SEED), str(SEED + 1), str(SEED + 2)]
    assert replay.seed is None and replay.num_agents == 4
    everything = [*map(str, (replay.config, replay.notes, replay.policy_env_interface)), *map(str, watcher.raw)]
    assert SECRET.encode() in stage.app.state.store.get(job_key(job_id, "policy_agent_0.txt"))
    assert not any(hidden in text for hidden in (*seeds, SECRET) for text in everything)


def test_an_episode_is_watched_on_the_page_of_its_game_by_those_who_may_see_it(
    stage: Stage, arena: Arena, world: World, client: TestClient, ada: Any, bob: Any, account: Any
) -> None:
    game = arena.coworld(account("carol"))
    roster = [{"game_player": "sweep"}, {"game_player": "sweep"}]
    slow = {"max_ticks": 100, "tick_rate": 10, "lockstep": False}
    request = arena.ask(ada, game, roster, variant_id="quick-small", game_config_overrides=slow)
    episode = request["episodes"][0]["id"]
    frames = f"/observatory/api/episodes/{episode}/frames"
    assert stage.http.get(frames, headers=ada.headers).json()["live_url"] is None
    with working(stage.url, stage.worker_token):
        live_url = until(lambda: stage.http.get(frames, headers=ada.headers).json()["live_url"])
        for headers in ({}, bob.headers):
            assert stage.http.get(frames, headers=headers).status_code == 404
        token = live_url.removesuffix("/").rpartition("/")[2]
        page = until(lambda: _redirect(stage, live_url))
        assert "/client/global?" in page and "slot" not in page
        with connect(f"{stage.url.replace('http', 'ws', 1)}{live_url}global", compression=None, proxy=None) as socket:
            first = json.loads(socket.recv(timeout=PATIENCE))
            assert len(first["scores"]) == 2
            until(lambda: json.loads(socket.recv(timeout=PATIENCE))["tick"] > first["tick"])
        assert stage.http.get(f"{live_url}client/admin").status_code == 403
        wrong = f"watch.{uuid.uuid4().hex}.{token.rpartition('.')[2]}"
        assert stage.http.get(f"/observatory/games/{wrong}/").status_code == 404
        queue = stage.http.get("/observatory/api/queue", headers=ada.headers).json()
        assert [row["is_live"] for row in queue["running"]] == [True]
        assert [row["is_live"] for row in stage.http.get("/observatory/api/queue").json()["running"]] == [False]
    done = stage.http.get(f"/observatory/api/episodes/{episode}", headers=ada.headers).json()
    assert (done["status"], done["is_live"]) == ("completed", False)
    assert stage.http.get(live_url).status_code == 410
    assert stage.http.get(frames, headers=ada.headers).json()["live_url"] is None


def _redirect(stage: Stage, address: str) -> str:
    """Where the place of spectators leads, once the game can be reached."""
    answer = stage.http.get(address)
    return str(answer.headers["location"]) if answer.status_code == 307 else ""
