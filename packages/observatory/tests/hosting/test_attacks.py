"""Attacks on the proxy over HTTP: nothing reaches anything but the game's own routes, and nothing odd comes back."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from packages.observatory.tests.hosting.conftest import Arcade, wait_for

pytestmark = pytest.mark.any_database


@pytest.fixture
def opened(arcade: Arcade, token: str, stranger: str, ada: Any, bob: Any) -> Iterator[Any]:
    """A hosted game of a stranger: the places of ada, bob and the spectators."""
    session = arcade.create(ada, stranger)["session_id"]
    first, second = arcade.join(ada, session), arcade.join(bob, session)
    with arcade.working(token):
        running = arcade.running(ada, session)
        yield {"ada": first, "bob": second, "watch": running["global_url"], "session": session}
        arcade.act(ada, session, "end")


def raw(url: str, request: bytes, *, wait: float = 20) -> bytes:
    """Send bytes as they are; return all that comes back."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=wait) as connection:
        connection.sendall(request)
        answer = b""
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while piece := connection.recv(1 << 16):
                answer += piece
    return answer


def test_only_paths_and_queries_reach_the_game_and_only_content_comes_back(arcade: Arcade, opened: Any) -> None:
    seat, watch = opened["ada"]["target_url"], opened["watch"]
    hostile = {
        "Cookie": "observatory_session=mine",
        "Authorization": "Bearer secret",
        "X-Auth-Token": "secret",
        "X-Forwarded-For": "10.0.0.1",
        "X-Forwarded-Host": "evil.example",
        "X-Custom": "secret",
        "Range": "bytes=0-1",
    }
    seen = arcade.http.get(f"{seat}anything?a=1&token=mine&slot=7&uri=file:///etc/passwd", headers=hostile).json()
    assert seen["path"] == "/anything?a=1"
    names = {name.lower() for name, _ in seen["headers"]}
    assert names <= {"host", "accept", "accept-encoding", "connection", "user-agent"}
    assert "secret" not in str(seen) and "evil" not in str(seen) and "mine" not in str(seen)
    player = arcade.http.get(f"{seat}player", headers=hostile).json()["path"]
    assert player.startswith("/player?slot=0&token=") and opened["ada"]["target_url"].split("/")[-2] not in player

    odd = arcade.http.get(f"{watch}odd")
    policy = odd.headers["content-security-policy"]
    assert odd.text == "odd" and policy.startswith("sandbox allow-scripts allow-pointer-lock; default-src http")
    for name in ("set-cookie", "clear-site-data", "refresh", "link", "service-worker-allowed"):
        assert name not in odd.headers
    assert "access-control-allow-credentials" not in odd.headers
    for path in ("out", "slashes", "script"):
        assert arcade.http.get(f"{watch}{path}").status_code in (403, 503), path
    inside, folder = arcade.http.get(f"{watch}in"), urlsplit(watch).path
    assert arcade.http.get(f"{watch}up").headers["location"] == f"{folder}v2/leagues"  # still the game's
    assert inside.status_code == 307 and inside.headers["location"] == f"{folder}client/global?kept=yes"
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert arcade.http.request(method, f"{seat}anything").status_code in (404, 405), method


PATHS = [
    "../../../v2/leagues",
    "%2e%2e/%2e%2e/v2/leagues",
    "..%2f..%2fv2",
    "client/%2e%2e/x",
    "client\\..\\x",
    "%252e%252e/x",
    "a%00b",
    "a%0d%0aSet-Cookie:%20x",
    "admin",
    "client/admin",
    "clients/ADMIN.html",
    "client/%61dmin",
    "client/%2561dmin",
    "admin;x=1",
    "x" * 2000,
]


def test_a_path_that_leaves_the_game_or_administers_it_is_refused(arcade: Arcade, opened: Any) -> None:
    parts = urlsplit(opened["watch"])

    def status(path: str) -> bytes:
        line = f"GET {parts.path}{path} HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n"
        return raw(arcade.url, line.encode()).split(b" ")[1]

    assert status("any/path%20at/all") == b"200"
    for path in PATHS:
        assert status(path) in (b"400", b"403", b"404"), path


def test_smuggled_and_malformed_requests_reach_nothing(arcade: Arcade, opened: Any) -> None:
    parts = urlsplit(opened["watch"])
    path = parts.path.encode()
    second = b"GET /v2/leagues HTTP/1.1\r\nHost: x\r\n\r\n"
    both = (
        b"GET %sanything HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n%s"
        % (path, 5 + len(second), second)
    )
    assert b"entries" not in raw(arcade.url, both, wait=3)
    for head in (b"Host: a b", b"Host: a\r\nHost: b", b"Host: evil.example; x", b"Host: "):
        answer = raw(arcade.url, b"GET %sanything HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n" % (path, head))
        assert b" 200 " not in answer.split(b"\r\n")[0], head
    other = raw(
        arcade.url,
        b"GET %sanything HTTP/1.1\r\nHost: %s\r\nUpgrade: h2c\r\nConnection: Upgrade, close\r\n\r\n"
        % (path, parts.netloc.encode()),
        wait=3,
    )
    assert b" 101 " not in other.split(b"\r\n")[0]
    slow = b"GET %sanything HTTP/1.1\r\nHost: a" % path
    began = time.monotonic()
    assert b" 408 " in raw(arcade.url, slow, wait=60).split(b"\r\n")[0] and time.monotonic() - began < 50


def test_a_token_opens_its_own_place_and_nothing_else(arcade: Arcade, opened: Any, ada: Any) -> None:
    seat, watch = opened["ada"]["socket_url"], opened["watch"].replace("http", "ws", 1)
    for address in (
        seat.replace("/player", "/global"),
        seat.replace("/player", "/admin"),
        seat.replace("/player", "/replay"),
        f"{watch}player",
        f"{watch}player?slot=0&token=x",
        seat[:-20] + "x" * 12 + "/player",
        arcade.url.replace("http", "ws", 1) + "/v2/leagues",
        arcade.url.replace("http", "ws", 1) + "/work/jobs/0/tunnel",
    ):
        with pytest.raises(InvalidStatus) as refused, arcade.socket(address):
            pass
        assert refused.value.response.status_code in (403, 404), address
    with arcade.socket(f"{seat}?slot=1&token=x") as mine:
        said = json.loads(mine.recv(timeout=30))["path"]
        assert said.startswith("/player?slot=0&token=") and said.count("slot=") == 1
        mine.send("close")
        with pytest.raises(ConnectionClosed) as closed:
            mine.recv(timeout=30)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4321


def test_large_messages_and_too_many_sockets_are_refused_and_a_slow_viewer_slows_only_itself(
    arcade: Arcade, opened: Any
) -> None:
    seat, watch = opened["ada"]["socket_url"], opened["watch"].replace("http", "ws", 1) + "global"
    with arcade.socket(seat) as mine:
        mine.recv(timeout=30)
        mine.send(b"x" * (1 << 20))
        assert mine.recv(timeout=30) == str(1 << 20)
        with contextlib.suppress(ConnectionClosed):
            mine.send(b"x" * ((1 << 20) + 1))
        with pytest.raises(ConnectionClosed) as closed:
            mine.recv(timeout=30)
        assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
    with pytest.raises(httpx.HTTPError):
        arcade.http.get(f"{opened['watch']}big", timeout=60)
    with contextlib.ExitStack() as sockets:
        for _ in range(8):
            sockets.enter_context(arcade.socket(seat))
        with pytest.raises(InvalidStatus) as refused, arcade.socket(seat):
            pass
        assert refused.value.response.status_code == 429
    wait_for(lambda: _can_open(arcade, seat))
    with arcade.socket(watch, max_queue=1) as slow:
        slow.recv(timeout=30)
        slow.send("many")  # 200 MB that are never read
        with arcade.socket(watch) as other:
            other.recv(timeout=30)
            other.send("hello")
            assert other.recv(timeout=30) == "5"
        slow.socket.close()


def _can_open(arcade: Arcade, address: str) -> bool:
    try:
        with arcade.socket(address):
            return True
    except InvalidStatus:
        return False
