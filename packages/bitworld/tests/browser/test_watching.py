"""Spectators, replays and lost connections, in a browser."""

import io
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page
from starlette.requests import Request

from bitworld.games.among_them import AmongThem
from bitworld.replays import Recorder, ReplayGame, read_replay
from bitworld.server import GameServer, Match, ReplayRoom, Stepped
from bitworld.server.connection import Connection
from bitworld.server.requests import Head, Response
from observatory.http.frames import frame_headers, passed_headers
from packages.bitworld.tests.among_them.scripted import A
from packages.bitworld.tests.browser.arena import Arena, arena
from packages.bitworld.tests.tiny import Tiny
from packages.observatory.tests.browser.checks import CONTRAST, STRUCTURE
from tests.accessibility import axe_findings

Open = Callable[..., Page]
PIXELS = """(selector) => document.querySelector(selector).toDataURL()"""
MARKUP = "<img src=x onerror=document.title='broken'>"
SHAPES: dict[str, dict[str, Any]] = {
    "dark": {"color_scheme": "dark"},
    "light": {"color_scheme": "light"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "color_scheme": "dark"},
}
TICKS = 150
PREFIX = "/observatory/games/token"


def recorded() -> ReplayGame:
    """Return a game with a kill, a meeting, chat and votes."""
    config = {
        "seed": 3, "minPlayers": 5, "startWaitTicks": 0, "roleRevealTicks": 2, "killCooldownTicks": 0, "killRange": 900,
        "reportRange": 900, "voteTimerTicks": 400, "voteResultTicks": 4, "gameOverTicks": 1000, "maxTicks": 0,
        "slots": [{"role": "imposter"}, *[{"role": "crew"}] * 4],
    }  # fmt: skip
    file = io.BytesIO()
    recorder = Recorder(AmongThem(config), file)
    game = recorder.game
    for name in ("Ann", "Bob", "Cat", "Dan", "<b>Eve</b>"):
        recorder.join(name)
    steps = 0

    def step(**masks: int) -> None:
        nonlocal steps
        recorder.step([masks.get(f"p{player}", 0) for player in range(5)])
        steps += 1

    while game.phase != "playing":
        step()
    step(p0=A)  # Ann kills the nearest
    for _ in range(20):
        step()
    alive = [index for index in range(1, 5) if game.session.describe()["players"][index][10]]  # type: ignore[attr-defined]
    step(**{f"p{alive[0]}": A})
    assert game.phase == "voting"
    recorder.chat(alive[0], MARKUP)
    for voter in (0, *alive):
        step(**{f"p{voter}": A})
        step()
    while steps < TICKS:
        step()
    return ReplayGame(read_replay(file.getvalue()))


def painted(page: Page) -> None:
    page.wait_for_selector("[data-testid=status][data-state=open]", state="attached")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_a_late_viewer_sees_what_an_early_one_sees(open_page: Open) -> None:
    config = {"minPlayers": 2, "startWaitTicks": 0, "roleRevealTicks": 5, "tasksPerPlayer": 3}
    match = Match(lambda: AmongThem(config), is_stepped=True)
    with arena(match, Stepped(players=2, deadline=60)) as running:
        early = open_page(f"{running.address}/client/global.html")
        painted(early)
        empty = early.evaluate(PIXELS, "[data-testid=map]")
        for name in ("Ann", "Bobby"):
            running.join(name, answers=90)  # then the match waits for them
        running.until(lambda: match.game.tick == 91)
        late = open_page(f"{running.address}/clients/global")
        painted(late)
        running.until(lambda: not any(viewer.outbox for viewer in match.viewers))
        painted(early)
        seen = late.evaluate(PIXELS, "[data-testid=map]")
        assert seen != empty
        _wait_for_pixels(early, seen)


def _wait_for_pixels(page: Page, expected: str) -> None:
    """Wait until the map of a page looks as expected: its last message may still be on the way."""
    for _ in range(50):
        if page.evaluate(PIXELS, "[data-testid=map]") == expected:
            return
        painted(page)
    pytest.fail("the pictures differ")


def until_at(running: Arena, room: ReplayRoom, position: int) -> None:
    running.until(lambda: room.playback.position == position and not room.is_seeking)


def test_a_replay_is_controlled_by_its_events_keys_and_time_line(open_page: Open) -> None:
    room = ReplayRoom(recorded())
    room.press("P")
    with arena(room) as running:
        page = open_page(f"{running.address}/client/replay")
        page.wait_for_selector(".event-ejection")
        kinds = [row.get_attribute("data-kind") for row in page.locator(".event").all()]
        assert [kinds.count(kind) for kind in ("join", "kill", "meeting", "chat", "vote", "ejection")] == [
            5,
            1,
            1,
            1,
            4,
            1,
        ]
        for kind in ("kill", "meeting", "chat"):
            row = page.locator(f".event-{kind}")
            position = int(row.get_attribute("data-position") or 0)
            row.click()
            until_at(running, room, position)
            page.wait_for_selector(f".transport[data-position='{position}']")
        assert page.locator(".event-chat").inner_text().endswith(MARKUP)
        assert page.locator("main img, aside img, aside b b, li > span > b").count() == 0
        assert page.locator(".players li").nth(4).inner_text().startswith("<b>Eve</b>")
        assert page.title() == "Replay · Among Them"

        page.evaluate("document.activeElement.blur()")
        page.keyboard.press(",")
        running.until(lambda: room.playback.position == 0 and not room.is_seeking)
        page.keyboard.press(".")
        running.until(lambda: room.playback.position == 120 and not room.is_seeking)
        page.keyboard.press("b")
        running.until(lambda: room.playback.position == 119)
        page.locator("[data-testid=seek]").fill("77")
        running.until(lambda: room.playback.position == 77 and not room.is_seeking)
        page.get_by_label("Speed").select_option("8")
        page.locator("[data-testid=play]").click()
        running.until(lambda: room.playback.position == TICKS and room.speed == 8)

        page.get_by_role("button", name="Votes").click()
        assert page.locator(".event-vote").count() == 0

        page.get_by_role("link", name="Bob").click()
        painted(page)
        assert page.title() == "What Slot 1 saw · Among Them"
        running.until(lambda: [player.slot for player in room.players] == [1])
        page.get_by_role("link", name="Replay").click()
        page.wait_for_selector(".event-ejection")


def test_a_kicked_player_reads_why_and_can_come_back_after_a_restart(open_page: Open) -> None:
    match = Match(Tiny)
    with arena(match) as running:
        page = open_page(f"{running.address}/client/player?name=Ann")
        painted(page)
        running.ask(lambda: match.kick("Ann"))
        page.wait_for_selector("text=You were kicked")
        running.ask(match.restart)
        running.until(lambda: not match.is_blocked("Ann"))
        page.get_by_role("button", name="Connect again").click()
        painted(page)
        assert page.locator(".notice").is_hidden()
        running.until(lambda: [seat.name for seat in match.game.seats] == ["Ann"])


def _cut(running: Arena) -> None:
    for connection in list(running.server._connections):
        connection.transport.abort()


def test_a_lost_connection_is_opened_again_with_the_held_buttons(open_page: Open) -> None:
    match = Match(Tiny)
    with arena(match) as running:
        page = open_page(f"{running.address}/client/player?name=Ann")
        painted(page)
        page.keyboard.down("ArrowUp")
        running.until(lambda: [player.mask for player in match.seated] == [1])
        first = running.ask(lambda: match.seated[0])
        running.ask(lambda: _cut(running))
        running.until(lambda: bool(match.seated) and match.seated[0] is not first and match.seated[0].mask == 1)
        painted(page)


def test_a_player_without_a_name_is_asked_for_one(open_page: Open) -> None:
    match = Match(Tiny)
    with arena(match) as running:
        page = open_page(f"{running.address}/client/player.html")
        page.get_by_label("Your name").fill("Ann Lee")
        page.keyboard.press("Enter")
        running.until(lambda: [seat.name for seat in match.game.seats] == ["Ann_Lee"])


@pytest.mark.parametrize("shape", SHAPES)
def test_every_page_is_readable_in_both_themes_and_on_a_phone(shape: str, open_page: Open) -> None:
    room = ReplayRoom(recorded())
    with arena(room) as running:
        page = open_page(f"{running.address}/client/rewards.html", **SHAPES[shape])
        for name in ("rewards", "stats", "player.html?slot=1", "global", "replay"):
            page.goto(f"{running.address}/client/{name}")
            painted(page)
            assert page.evaluate("document.documentElement.dataset.theme") == SHAPES[shape]["color_scheme"]
            assert page.evaluate(STRUCTURE) == [], name
            assert page.evaluate(CONTRAST) == [], name
            assert not (wrong := axe_findings(page)), wrong


class FramedServer(GameServer):
    """Serves a game as the league does: below a prefix, in an opaque origin, with files of its own folder only."""

    def _answer(self, connection: Connection, head: Head) -> Response | None:
        if not head.path.startswith(PREFIX):
            return Response(400)
        scope: dict[str, Any] = {"type": "http", "headers": [(b"host", head.headers["host"].encode())]}
        scope["app"] = SimpleNamespace(state=SimpleNamespace(settings=SimpleNamespace(games_url=None)))
        response = super()._answer(connection, replace(head, path=head.path.removeprefix(PREFIX)))
        if response is None:
            return None
        headers = {**passed_headers(response.headers.items()), **frame_headers(Request(scope), f"{PREFIX}/")}
        return Response(response.status, response.body, headers)


@pytest.mark.parametrize("name", ["player", "global"])
def test_pages_work_below_a_prefix_in_an_opaque_origin(name: str, open_page: Open) -> None:
    with arena(Match(Tiny), new_server=FramedServer) as running:
        page = open_page(f"{running.address}{PREFIX}/client/{name}")
        assert page.evaluate("self.origin") == "null"
        painted(page)
        page.get_by_role("button", name="Change the theme").click()
        assert page.evaluate("document.documentElement.dataset.theme") == "light"
