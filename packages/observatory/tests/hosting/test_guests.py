"""Guests: visitors without an account play what the operator lists, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.hosting.loop import TOO_LONG, HostedLoop
from observatory.http.visitors import COOKIE
from observatory.signing import Signer
from packages.observatory.tests.coworlds.games import game, put_coworld
from packages.observatory.tests.hosting.conftest import Arcade, observe

pytestmark = pytest.mark.any_database

GAMES = "/observatory/api/guest/games"


class Browser:
    """A browser without an account."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.csrf = ""
        self.greet()

    def greet(self) -> None:
        """Open a page: the browser gets its cookie and its token for forms."""
        self.csrf = self.client.get("/observatory/api/me").json()["csrf"]

    def start(self, name: str = "paintarena", status: int = 200) -> Any:
        return self.post(GAMES, {"game": name}, status)

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.client.post(path, json=body, headers={"X-CSRF-Token": self.csrf})
        assert answer.status_code == status, answer.text
        return answer.json() if status == 200 else answer

    def read(self, session_id: str, status: int = 200) -> Any:
        answer = self.client.get(f"{GAMES}/{session_id}")
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture
def arena(app: FastAPI, clock: Any, ada: Any) -> str:
    """Paint Arena, which guests may play: the id of the Coworld."""
    app.state.settings.guest_games = ["paintarena:small", "gone", "paintarena:none"]
    return put_coworld(app, clock, ada, manifest=game(variants=2))


@pytest.fixture
def visit(app: FastAPI, event_loop_thread: BlockingPortal, arena: str) -> Iterator[Callable[..., Browser]]:
    """Open browsers, each with cookies of its own and at an address."""
    clients = []

    def visit(address: str = "192.0.2.1") -> Browser:
        client = TestClient(app, raise_server_exceptions=False, client=(address, 5000))
        client.portal = event_loop_thread
        clients.append(client)
        return Browser(client)

    yield visit
    for client in clients:
        client.close()


def test_a_guest_starts_a_listed_game_and_sits_in_its_first_seat(visit: Callable[..., Browser], arena: str) -> None:
    guest = visit()
    [listed] = guest.client.get(GAMES).json()["games"]
    assert (listed["game"], listed["coworld_id"], listed["variant_id"]) == ("paintarena:small", arena, "small")
    assert listed["title"] == "Paint Arena"
    started = guest.start("paintarena:small")
    assert started["status"] == "starting" and started["variant_id"] == "small" and started["player_url"]
    assert started["global_url"] is None and started["can_manage"]
    assert [(seat["kind"], seat["label"], seat["is_me"]) for seat in started["seats"]] == [
        ("person", "Guest", True),
        ("program", "sweep", False),
    ]
    assert guest.read(started["session_id"])["status"] == "starting"
    assert guest.post(f"{GAMES}/{started['session_id']}/end")["status"] == "ended"


@pytest.mark.parametrize("name", ["paintarena", "paintarena:none", "gone", "", "paintarena:small\0", "x" * 300])
def test_a_guest_gets_no_game_that_is_not_listed(visit: Callable[..., Browser], name: str) -> None:
    visit().start(name, status=404)


def test_a_guest_sees_and_ends_no_game_of_another(visit: Callable[..., Browser], ada: Any, arena: str) -> None:
    guest, other = visit(), visit("192.0.2.2")
    started = guest.start("paintarena:small")["session_id"]
    other.read(started, status=404)
    other.post(f"{GAMES}/{started}/end", status=404)
    headers = ada.headers  # an account neither, not even that of the game's owner
    assert guest.client.get(f"/v2/coworlds/play/session/{started}", headers=headers).status_code == 404
    body = {"coworld_id": arena}
    own = guest.client.post("/v2/coworlds/play/session", json=body, headers=headers).json()["session_id"]
    guest.read(own, status=404)
    guest.post(f"/v2/coworlds/play/session/{own}/join", status=401)
    assert guest.read(started)["status"] == "starting"


def test_a_forged_or_expired_cookie_is_nobody(visit: Callable[..., Browser], app: FastAPI) -> None:
    guest = visit()
    started = guest.start("paintarena:small")["session_id"]
    kept = guest.client.cookies[COOKIE]
    nonce = Signer(app.state.keys.secret, "browser session").read(kept)
    assert nonce is not None
    content = {"user": None, "version": None, "nonce": nonce["nonce"]}
    forged = Signer(b"another secret", "browser session").sign(content, seconds=60)
    other_purpose = Signer(app.state.keys.secret, "place in a hosted game").sign(content, seconds=60)
    expired = Signer(app.state.keys.secret, "browser session").sign(content, seconds=-1)
    body, _, mac = kept.partition(".")
    for cookie in (forged, other_purpose, expired, f"{body}A.{mac}", body, ".", "x" * 5000):
        guest.client.cookies.clear()
        guest.client.cookies.set(COOKIE, cookie)
        guest.read(started, status=404)
        guest.start("paintarena:small", status=403)
        guest.post(f"{GAMES}/{started}/end", status=403)
    guest.client.cookies.clear()
    guest.client.cookies.set(COOKIE, kept)
    assert guest.read(started)["status"] == "starting"
    guest.csrf = ""  # a form of another site
    guest.start("paintarena:small", status=403)
    guest.client.cookies.clear()  # a new visit renews the cookie and the token
    guest.greet()
    guest.read(started, status=404)


def test_a_flood_of_guests_is_limited_by_address_and_in_total(
    visit: Callable[..., Browser], app: FastAPI, clock: Any
) -> None:
    settings = app.state.settings
    settings.max_guest_games, settings.max_guest_games_per_address, settings.guest_games_per_hour = 3, 2, 4
    first = visit()
    before = first.start("paintarena:small")["session_id"]
    started = first.start("paintarena:small")["session_id"]  # one guest, one game
    assert first.read(before)["status"] == "ended"
    visit().start("paintarena:small")
    refused = visit().start("paintarena:small", status=429)
    assert int(refused.headers["retry-after"]) > 0
    sixth = [visit(f"2001:db8:0:1::{number}") for number in (1, 2, 3)]  # one network
    sixth[0].start("paintarena:small")
    assert "All games for guests" in sixth[1].start("paintarena:small", status=429).text
    settings.max_guest_games = 10
    sixth[1].start("paintarena:small")
    sixth[2].start("paintarena:small", status=429)
    first.post(f"{GAMES}/{started}/end")
    first.start("paintarena:small")
    first.start("paintarena:small", status=429)  # the fifth of an hour
    clock.advance(3601)
    first.start("paintarena:small")
    settings.max_hosted_games = 0
    visit("198.51.100.7").start("paintarena:small", status=429)


def test_the_game_of_a_guest_ends_after_a_while(visit: Callable[..., Browser], app: FastAPI, clock: Any) -> None:
    guest = visit()
    session = guest.start("paintarena:small")["session_id"]
    state = app.state
    loop = HostedLoop(state.database, state.settings, clock, state.tunnels)
    clock.advance(state.settings.guest_lifetime_seconds - 1)
    loop._check({})
    assert guest.read(session)["status"] == "starting"
    clock.advance(1)
    loop._check({})
    ended = guest.read(session)
    assert (ended["status"], ended["error"], ended["player_url"]) == ("ended", TOO_LONG, None)


def test_a_guest_plays_in_the_sandbox_of_a_worker(arcade: Arcade, token: str, app: FastAPI, arena: str) -> None:
    arcade.http.headers["X-CSRF-Token"] = arcade.http.get("/observatory/api/me").json()["csrf"]

    @contextmanager
    def playing() -> Iterator[dict[str, Any]]:
        answer = arcade.http.post(GAMES, json={"game": "paintarena:small"})
        assert answer.is_success, answer.text
        with arcade.working(token):
            yield answer.json()

    with playing() as session:
        address = session["player_url"].replace("http", "ws", 1) + "player"
        with arcade.socket(address) as socket:
            assert observe(socket)
        refused = arcade.http.get(session["player_url"] + "client/admin")
        assert refused.status_code == 403
        arcade.http.post(f"{GAMES}/{session['session_id']}/end")
