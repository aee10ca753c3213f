"""A worker is connected to one server, people to another: games and live matches pass through both."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from observatory.database.tables.hosted import HostedGame
from observatory.job_states import HOSTED
from observatory.public_ids import parse_public_id
from packages.observatory.tests.coworlds.games import game, put_coworld
from packages.observatory.tests.live.conftest import Stage, Watcher
from packages.observatory.tests.servers.conftest import Pair, person, wait_for
from packages.observatory.tests.world import FREEPLAY

pytestmark = pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True, scope="session")


def worker_token(pair: Pair, clock: Any) -> str:
    root = person(pair, "root", clock, admin=True)
    answer = pair.first.client.post("/admin/tokens", json={"name": "worker"}, headers=root.headers)
    return str(answer.json()["token"])


def test_a_match_is_watched_at_another_server_than_the_one_its_worker_sends_to(
    pair: Pair, urls: list[str], clock: Any
) -> None:
    ada, token = person(pair, "ada", clock), worker_token(pair, clock)
    with httpx.Client(base_url=urls[0], timeout=60, trust_env=False) as http:
        stage = Stage(pair.first.app, urls[0], http, pair.world, token, ada)
        match = stage.match(FREEPLAY["name"])
        worker = stage.lease()
        address = f"{urls[1].replace('http', 'ws', 1)}/observatory/live/matches/{match}"
        with connect(address, compression=None, proxy=None, open_timeout=60) as socket:
            watcher = Watcher(socket)
            assert worker.asked() is True  # the watcher of the other server counts
            sent = [worker.send(tick, b"rows of a tick" * tick) for tick in (1, 2)]
            assert watcher.data(2) == sent
        assert worker.asked() is False
        stage.close()


def test_a_hosted_game_is_reached_through_either_server(pair: Pair, urls: list[str], clock: Any) -> None:
    ada, token = person(pair, "ada", clock), worker_token(pair, clock)
    coworld = put_coworld(pair.first.app, clock, ada, manifest=game(variants=2))
    with httpx.Client(timeout=60, trust_env=False, follow_redirects=False) as http:

        def call(path: str, body: Any = None) -> Any:
            return http.post(urls[0] + path, json=body, headers=ada.headers).raise_for_status().json()

        session = call("/v2/coworlds/play/session", {"coworld_id": coworld})
        joined = call(f"/v2/coworlds/play/session/{session['session_id']}/join")
        call(f"/v2/coworlds/play/session/{session['session_id']}/start")
        lease = http.post(
            f"{urls[0]}/work/lease", json={"worker": "one", "lane": HOSTED}, headers={"X-Auth-Token": token}
        ).json()
        place = next(path for path in json.dumps(joined).split('"') if "/observatory/games/" in path)
        folder = "/observatory/games/" + place.partition("/observatory/games/")[2].partition("/")[0] + "/"

        def open_socket(url: str, path: str) -> Any:
            address = f"{url.replace('http', 'ws', 1)}/work/jobs/{lease['job_id']}/{path}"
            headers = {"X-Auth-Token": lease["job_token"]}
            return connect(address, additional_headers=headers, compression=None, proxy=None)

        def answer(control: Any) -> None:
            """Serve one page as the worker does; the balancer sends its stream to the wrong server."""
            asked = json.loads(control.recv(timeout=60))
            with open_socket(urls[1], f"streams/{asked['open']}") as stream:
                stream.send(json.dumps({"status": 200, "headers": [["content-type", "text/html"]]}))
                stream.send(b"<p>" + asked["path"].encode())
                stream.send(json.dumps({"end": True}))
                with suppress(ConnectionClosed):
                    stream.recv(timeout=60)

        with open_socket(urls[0], "tunnel") as control:
            control.send(json.dumps({"ready": {"pages": "/client"}}))

            def is_running() -> bool:
                with pair.second.database.read() as rows:
                    row = rows.get_one(HostedGame, parse_public_id("ps", session["session_id"]))
                    return row.server_id == pair.first.database.server_id

            wait_for(is_running)
            opened = http.get(urls[1] + folder)
            assert opened.status_code == 307 and f"{folder}client/player" in opened.headers["location"]
            thread = threading.Thread(target=answer, args=(control,))
            thread.start()
            page = http.get(f"{urls[1]}{folder}client/player")
            assert (page.status_code, page.text) == (200, "<p>/client/player")
            thread.join(20)


def test_the_sockets_between_servers_refuse_everyone_else(pair: Pair, urls: list[str]) -> None:
    some = "01a1e02d-1405-7ed3-b94e-90d3785327f4"
    for path in (f"/work/peers/{some}/streams", f"/work/peers/live/{some}"):
        for headers in ({}, {"X-Peer-Proof": "x.y"}):
            with pytest.raises(InvalidStatus, match="403"):
                connect(urls[0].replace("http", "ws", 1) + path, additional_headers=headers, proxy=None)
