"""Real workers play matches of a BitWorld season, and people watch them as far as the season allows."""

from __future__ import annotations

import json
import struct
import uuid
import zlib
from typing import Any

import pytest

from bitworld.games.among_them.scenes.ids import LayerId, ObjectId
from bitworld.wire.sprites import SceneReader
from mettagrid.config.bitworld_config import BitWorldEnvConfig
from observatory.database.tables.jobs import Job
from observatory.job_states import JobStatus
from observatory.store import bundle_key, job_key
from packages.observatory.tests import world as worlds
from packages.observatory.tests.live.conftest import Stage, Watcher
from packages.observatory.tests.live.test_played_matches import until, working
from packages.observatory.tests.world import bundle

pytestmark = pytest.mark.any_database

OPENING, SCENES = 5, 6
TICKS, SEED, DELAY = 50, 918273645, 30
GAME = {"game": {"game_engine": "bitworld", "mission": "among_them", "num_agents": 4}, "splits": [[2, 2]]}
# It plays for some seconds, most of them asleep.
POLICY = """
import time
from mettagrid.policy.policy import MultiAgentPolicy

class Mine(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        raise NotImplementedError
    def step_batch(self, raw_observations, raw_actions):
        time.sleep(0.06)
        raw_actions[...] = 1
"""


@pytest.fixture(autouse=True)
def among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {"startWaitTicks": 0, "roleRevealTicks": 0, "showPlayerLabels": True}
    env = BitWorldEnvConfig(game_name="among_them", num_players=4, max_ticks=TICKS, server_config=rules)
    monkeypatch.setattr(worlds, "ENV", env.model_dump(mode="json"))


def waiting_match(stage: Stage, **live: Any) -> uuid.UUID:
    match = stage.match("sus", freeplay={**GAME, "live": live})
    with stage.world.database.transaction() as session:
        job = session.get_one(Job, stage.world.job_of(match))
        job.stored_spec = {**job.stored_spec, "seed": SEED}
    version = stage.http.get(f"/observatory/api/matches/{match}").json()["players"][0]["policy"]["id"]
    stage.app.state.store.put(bundle_key(uuid.UUID(version)), bundle({"my_policy.py": POLICY}))
    return match


def rest_of(watcher: Watcher) -> tuple[list[bytes], dict[str, Any]]:
    """All that a spectator gets until the match is over, and the last message."""
    messages: list[bytes] = []
    while (message := watcher.receive()) and not (isinstance(message, dict) and message["type"] == "final"):
        messages += [message] if isinstance(message, bytes) else []
    return messages, message


def frames(messages: list[bytes]) -> list[tuple[int, bytes]]:
    found = []
    for message in messages:
        at = 1
        while message[0] == SCENES and at < len(message):
            tick, size = struct.unpack_from("<II", message, at)
            found.append((tick, message[at + 8 : at + 8 + size]))
            at += 8 + size
    return found


def test_a_match_of_a_bitworld_season_is_watched_from_all_pages_until_its_replay(stage: Stage) -> None:
    match = waiting_match(stage)
    watcher = stage.watch(match)
    watcher.next("hello")
    with working(stage.url, stage.worker_token):
        messages = watcher.data(4)
        viewer = f"/observatory/viewer/bitworld/?watch=%2Fobservatory%2Flive%2Fmatches%2F{match}"
        assert stage.http.get(f"/observatory/api/matches/{match}").json()["watch_url"] == viewer
        assert [row["is_live"] for row in stage.http.get("/observatory/api/queue").json()["running"]] == [True]
        live = stage.http.get("/observatory/api/live", params={"season": "sus"}).json()
        assert [line["url"] for line in live] == [f"/observatory/matches/{match}"]
        front = stage.http.get("/observatory/api/front-match").json()
        assert (front["kind"], front["viewer_url"]) == ("live", f"{viewer}&mini=1")
        page = stage.http.get(viewer)
        assert page.status_code == 200 and "match-" in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
        rest, final = rest_of(watcher)
    messages += rest
    head = json.loads(messages[0][1:])
    assert messages[0][0] == OPENING and (head["title"], head["hides_secrets"]) == ("Among Them", False)
    ticks = [tick for tick, _ in frames(messages)]
    assert ticks == [*range(0, TICKS, 3), TICKS]
    assert str(SEED) not in str(watcher.raw)
    with stage.world.database.read() as session:
        job = session.get_one(Job, stage.world.job_of(match))
        assert job.status is JobStatus.COMPLETED, job.error
    # The recorded match continues where the running one was: the same pictures in the same viewer.
    stored = zlib.decompress(stage.app.state.store.get(job_key(job.id, "scenes.z")))
    assert final["replay"].endswith("/scenes.z") and stage.http.get(final["replay"]).status_code == 307
    assert all(data in stored for _, data in frames(messages))
    shown = stage.http.get(f"/observatory/api/matches/{match}").json()
    assert shown["viewer_url"].startswith("/observatory/viewer/bitworld/?replay=") and shown["watch_url"] is None
    assert shown["replay_url"].endswith("/replay.json.z")
    embed = stage.http.get(f"/observatory/embed/matches/{match}").text
    assert "/observatory/viewer/bitworld/assets/match-" in embed and "scenes.z" in embed
    front = stage.http.get("/observatory/api/front-match").json()
    assert front["kind"] == "replay" and "bitworld/?replay=" in front["viewer_url"]


def test_spectators_see_what_the_season_allows_and_not_before_its_time(stage: Stage) -> None:
    match = waiting_match(stage, delay_seconds=DELAY, hide_secrets=True)
    watcher = stage.watch(match)
    assert watcher.next("hello")["delay_seconds"] == DELAY
    with working(stage.url, stage.worker_token):
        broadcast = stage.broadcasts.find(match)
        assert broadcast is not None
        until(lambda: len(broadcast.entries) >= 3)
        assert watcher.state() == "waiting" and watcher.state() == "starting"  # and no picture before
        stage.now += 1000
        messages, _ = rest_of(watcher)
    assert json.loads(messages[0][1:])["hides_secrets"] is True
    reader, last = SceneReader(), -1
    for last, data in frames(messages):
        reader.feed(data)
        places = [number for number, item in reader.scene.objects.items() if item.layer == LayerId.MAP]
        assert places == [ObjectId.MAP], f"tick {last} shows more than the map"
    assert last > 0
    assert not any(
        "crew" in sprite.label.lower() or "imp" in sprite.label.lower() for sprite in reader.scene.sprites.values()
    )


def test_a_bitworld_season_may_show_its_matches_after_their_end_only(stage: Stage) -> None:
    match = waiting_match(stage, watch=False)
    worker = stage.lease(connects=False)
    assert worker.lease["live"] is False
    assert "after their end only" in stage.refusal(match)
    page = stage.http.get(f"/observatory/api/matches/{match}").json()
    assert page["status"] == "running" and page["watch_url"] is None
    assert stage.http.get("/observatory/api/front-match").json()["kind"] == "none"
    for path in (
        "/observatory/viewer/nosuch/",
        "/observatory/viewer/nosuch/assets/a.js",
        "/observatory/viewer/coworld/",
    ):
        assert stage.http.get(path).status_code == 404
