"""The game as the page shows it: its clock, its past, its branches, its connection."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.replay import frame_at, load_replay
from mettagrid.simulator import Action, AgentObservation
from tests.browser import Visit

from .conftest import Go, Relay, Table, drive, seen, serve_game


def test_play_pause_step_and_speed_are_those_of_the_game(visit: Go, table: Table) -> None:
    found = visit(table.address)
    found.page.keyboard.press(" ")
    found.until(lambda: table.clock.paused)
    found.until(lambda: found.text("[data-testid=live-status]") == "Paused")
    tick = table.tick()
    found.page.keyboard.press("]")
    found.until(lambda: table.tick() == tick + 1)
    found.until(lambda: found.page.input_value("[data-testid=tick]") == str(tick + 1))
    found.page.select_option("[aria-label='Steps per second']", "50")
    found.until(lambda: table.clock.steps_per_second == 50)
    found.page.click("[aria-label='Play or pause (space)']")
    found.until(lambda: table.tick() > tick + 5)


def test_only_the_host_has_the_clock(visit: Go, table: Table) -> None:
    found = visit(table.server.invite("player"))
    found.page.keyboard.press(" ")
    found.until(lambda: "Only the host" in found.text(".notice"))
    assert not table.clock.paused
    assert not found.page.is_visible("[data-testid=branch]")


def test_any_earlier_tick_is_at_hand_while_the_game_goes_on(visit: Go, wild: Table) -> None:
    found = visit(wild.address)
    found.until(lambda: wild.tick() > 30)
    found.seek(12)
    tick = wild.tick()
    found.until(lambda: wild.tick() > tick + 15)
    last = "mettascope.app.lastTick"
    found.until(lambda: found.page.evaluate(last) > tick + 15)
    assert found.page.input_value("[data-testid=tick]") == "12"
    replay = load_replay(wild.renderer().feed.whole()[1])
    for back in (12, 3, 25):
        found.seek(back)
        frame = frame_at(replay, back)
        for agent in (0, 1):
            assert seen(found, agent) == list(frame.objects[replay.objects.of_agents[agent]].location[:2])
    found.until(lambda: "behind" in found.text("[data-testid=live]"))
    found.page.click("[data-testid=live]")
    found.until(lambda: found.text("[data-testid=live]") == "Live")
    shown = int(found.page.input_value("[data-testid=tick]"))
    found.until(lambda: int(found.page.input_value("[data-testid=tick]")) > shown + 10)


def test_a_branch_differs_from_its_tick_on_and_not_before(visit: Go, wild: Table) -> None:
    found = visit(wild.address)
    found.until(lambda: wild.tick() > 30)
    drive(found, 0)
    found.seek(15)
    found.page.click("[data-testid=branch]")
    found.page.wait_for_selector("[data-testid=lines]:visible")
    found.page.wait_for_selector(".live-drivers [data-driver=you][data-agent='0']")
    found.until(lambda: wild.driver(0, line=1) is not None)
    assert wild.driver(0, line=0) is None
    key = "ArrowLeft" if wild.place(0, line=1)[0] > 4 else "ArrowRight"
    for _ in range(3):  # others may stand in the way
        tick = wild.tick(line=1)
        found.page.keyboard.press(key)
        found.until(lambda tick=tick: wild.tick(line=1) > tick)
    hashes = [wild.renderer(line).feed.hashes for line in (0, 1)]
    assert hashes[0][:16] == hashes[1][:16]
    parted = next(tick for tick in range(len(hashes[1])) if hashes[0][tick] != hashes[1][tick])
    assert 15 < parted <= 18
    found.page.wait_for_selector("[data-testid=first-difference][data-tick]")
    first = int(found.page.get_attribute("[data-testid=first-difference]", "data-tick") or 0)
    assert first == parted
    found.seek(15)
    assert found.page.locator("[data-part='At tick 15'] [data-difference]").count() == 0
    found.seek(parted)
    found.page.wait_for_selector(f"[data-part='At tick {parted}'] [data-difference]")
    assert found.page.locator(".pane").count() == 2
    found.page.click("[data-testid=close-branch]")
    found.until(lambda: 1 not in wild.game.lines)
    found.page.wait_for_selector(".pane:nth-of-type(2)", state="detached")


@pytest.fixture
def careless(browser: Browser) -> Iterator[Visit]:
    """A page for what a browser complains about by itself: connections that fail."""
    context = browser.new_context(viewport={"width": 960, "height": 560})
    found = Visit(context.new_page())
    found.page.on("pageerror", lambda error: found.errors.append(str(error)))
    yield found
    context.close()
    assert found.errors == []


def test_a_wrong_token_is_told_in_a_sentence(careless: Visit, table: Table) -> None:
    address, _, _ = table.address.partition("token=")
    careless.open(f"{address}token=wrong")
    assert careless.text("[data-testid=error]") == "The token is wrong; ask for a new link"
    careless.page.goto("about:blank")
    careless.open(address.removesuffix("#"))
    assert "has no token" in careless.text("[data-testid=error]")


def test_an_invitation_is_a_link_for_somebody_else(visit: Go, table: Table) -> None:
    host = visit(table.address)
    host.page.click("[aria-label=Invite]")
    host.page.click("[data-invite='Link for watching']")
    host.page.wait_for_selector(".notice input")
    link = host.page.input_value(".notice input")
    assert link != table.address
    guest = visit(link)
    assert not guest.page.is_visible("[data-testid=drive]")
    assert not guest.page.is_visible("[aria-label=Invite]")


SOCKET = """([address, message]) => new Promise((done) => {
    const socket = new WebSocket(address);
    socket.onopen = () => message && socket.send(message);
    socket.onmessage = ({ data }) => message && done(data);
    socket.onclose = ({ code }) => done(code);
})"""


def test_pages_of_others_are_refused_while_the_game_goes_on(careless: Visit, table: Table) -> None:
    careless.page.route(
        "http://elsewhere.test/", lambda route: route.fulfill(body="<p>hello", content_type="text/html")
    )
    careless.page.goto("http://elsewhere.test/")
    token = table.address.partition("token=")[2]
    for path in ("global", "player", "admin"):
        address = f"ws://127.0.0.1:{table.server.port}/{path}?token={token}"
        assert careless.page.evaluate(SOCKET, [address, ""]) == 1006
    tick = table.tick()
    careless.until(lambda: table.tick() > tick + 5)


def test_a_message_that_makes_no_sense_is_answered_and_the_game_goes_on(visit: Go, table: Table) -> None:
    found = visit(table.address)
    token = table.address.partition("token=")[2]
    address = f"ws://127.0.0.1:{table.server.port}/admin?token={token}"
    for message in ("{", '{"type": "fly"}', '{"type": "speed", "steps_per_second": "fast"}'):
        assert '"type":"error"' in found.page.evaluate(SOCKET, [address, message])
    tick = table.tick()
    found.until(lambda: table.tick() > tick + 5)
    assert not found.page.is_visible("[data-testid=banner]")


def test_a_page_comes_back_after_the_network_was_gone(careless: Visit, table: Table) -> None:
    table.clock.set_speed(30)
    with Relay(table.server.port) as relay:
        careless.open(table.address.replace(str(table.server.port), str(relay.port)))
        drive(careless, 0)
        careless.page.wait_for_selector("[data-testid=wait]:checked")
        careless.page.uncheck("[data-testid=wait]")
        careless.until(lambda: table.clock.tick_mode == "fixed")
        relay.cut()
        careless.page.wait_for_selector("[data-testid=banner]:visible")
        assert "connection to the game is lost" in careless.text("[data-testid=banner]")
        careless.until(lambda: table.driver(0) is None)
        tick = table.tick()
        careless.until(lambda: table.tick() > tick + 10)
        relay.mend()
        careless.page.wait_for_selector("[data-testid=banner]", state="hidden")
        careless.until(lambda: careless.page.evaluate("mettascope.app.tick") > tick + 10)
        careless.until(lambda: table.driver(0) is not None)
        column, row = table.place(0)
        key, by = ("ArrowLeft", -1) if column > 4 else ("ArrowRight", 1)
        careless.page.keyboard.press(key)
        careless.until(lambda: table.place(0) == (column + by, row))
        careless.until(lambda: seen(careless, 0) == [column + by, row])
        careless.seek(2)
        assert careless.page.input_value("[data-testid=tick]") == "2"


def test_a_game_that_ends_stays_as_a_replay(visit: Go) -> None:
    with serve_game("random", steps=25, speed=100) as table:
        found = visit(table.address)
        found.until(lambda: found.text("[data-testid=live-status]") == "The game is over after 25 steps")
        found.page.keyboard.press(" ")
        found.until(lambda: found.page.evaluate("mettascope.app.isPlaying"))
        found.page.keyboard.press(" ")
        found.seek(7)
        assert found.page.input_value("[data-testid=tick]") == "7"
        table.server.close()
        found.seek(9)
        assert found.page.input_value("[data-testid=tick]") == "9"


def test_what_a_lesson_says_is_shown_as_text_and_points_at_the_board(visit: Go, table: Table) -> None:
    message = {
        "lesson": {"name": "moving", "title": "Moving", "number": 1, "count": 8},
        "goal": {
            "number": 2, "count": 3, "title": "Go <i>east</i>", "text": "Press the right arrow", "hint": "Right",
            "progress": 0.5, "done": False,
        },
        "highlight": {"cells": [[3, 4]], "objects": [table.agent(1)["id"]]},
        "finished": False,
    }  # fmt: skip
    found = visit(table.address)
    table.renderer().show_lesson(message)
    found.until(lambda: "Go <i>east</i>" in found.text("[data-testid=goal]"))
    assert "Moving · 1 of 8" in found.text("[data-testid=lesson]")
    found.until(lambda: table.driver(0) is not None)
    marks = found.page.evaluate("(({ cells, objects }) => [cells, objects])(mettascope.panes[0].view.live)")
    assert marks == [[[3, 4]], [table.agent(1)["id"]]]
    table.renderer().show_lesson({**message, "finished": True})
    found.until(lambda: found.text("[data-testid=lesson-done]") == "Lesson finished")


class TellingAgent(AgentPolicy):
    def step(self, obs: AgentObservation) -> Action:
        self._infos = {"tutorial_overlay_phases": ["Welcome <you>\nThis is a game", "Then\nPlay it"]}
        return Action("noop")


class Teller(MultiAgentPolicy):
    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return TellingAgent(self.policy_env_info)


def test_texts_of_a_policy_are_read_one_after_the_other(visit: Go) -> None:
    with serve_game(f"{__name__}.Teller") as table:
        found = visit(table.address)
        found.page.wait_for_selector("[data-testid=overlay]:visible")
        assert found.text("[data-testid=overlay] h2") == "Welcome <you>"
        found.page.keyboard.press("Enter")
        assert found.text("[data-testid=overlay] h2") == "Then"
        found.page.click("[data-testid=overlay-next]")
        found.page.wait_for_selector("[data-testid=overlay]", state="hidden")
