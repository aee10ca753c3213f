"""Hosted games in a real browser: a person plays by keyboard, and a stranger's pages attack the viewer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Frame, Page, expect

from observatory.http.visitors import COOKIE
from observatory.signing import Signer
from packages.observatory.tests.browser.checks import CONTRAST, STRUCTURE
from packages.observatory.tests.coworlds.games import game, put_coworld
from packages.observatory.tests.hosting.conftest import Arcade, put_stranger
from packages.observatory.tests.leagues.field import Field
from packages.observatory.tests.world import World

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

expect.set_options(timeout=60_000)
STRANGER = Path(__file__).with_name("stranger.html")
PHONE = {"viewport": {"width": 360, "height": 700}, "color_scheme": "light"}


@pytest.fixture
def sign_in(browser: Browser, app: FastAPI, arcade: Arcade) -> Iterator[Callable[..., BrowserContext]]:
    """Open browsers in which accounts are signed in."""
    contexts = []

    def sign_in(account: Any, **shape: Any) -> BrowserContext:
        settings = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark", **shape}
        context = browser.new_context(**settings)
        contexts.append(context)
        signer = Signer(app.state.keys.secret, "browser session")
        cookie = signer.sign({"user": account.user_id, "version": 1, "nonce": "n" * 16}, seconds=3600)
        context.add_cookies([{"name": COOKIE, "value": cookie, "url": arcade.url, "httpOnly": True, "sameSite": "Lax"}])
        context.set_default_timeout(20_000)
        return context

    yield sign_in
    for context in contexts:
        context.close()


def game_frame(page: Page) -> Frame:
    """Return the frame of the game once it has one of its own pages."""
    for _ in range(400):
        for frame in page.frames:
            if "/client/" in frame.url and frame != page.main_frame:
                return frame
        page.wait_for_timeout(100)
    raise AssertionError(f"{page.inner_text('main')} {[frame.url for frame in page.frames]}")


def get_ready(page: Page) -> None:
    page.get_by_role("button", name="Ready").click()


def assert_sound(page: Page) -> None:
    assert page.evaluate(STRUCTURE) == []
    assert page.evaluate(CONTRAST) == []


def test_a_person_plays_paint_arena_by_keyboard_and_another_one_watches(
    arcade: Arcade, token: str, app: FastAPI, clock: Any, ada: Any, bob: Any, sign_in: Any
) -> None:
    manifest = game(variants=2)
    for variant in manifest["variants"]:
        variant["game_config"] |= {"lockstep": False, "max_ticks": 50, "tick_rate": 10}
    session = arcade.create(ada, put_coworld(app, clock, ada, manifest=manifest))["session_id"]
    mine = sign_in(ada).new_page()
    problems: list[str] = []
    mine.on("pageerror", lambda error: problems.append(str(error)))
    mine.goto(f"{arcade.url}/observatory/play/{session}")
    expect(mine.get_by_role("heading", level=1)).to_have_text("Play paintarena")
    mine.get_by_label("Variant", exact=True).select_option("small")
    mine.get_by_role("button", name="Join").click()
    expect(mine.get_by_text("You", exact=True)).to_be_visible()
    assert_sound(mine)
    mine.get_by_role("button", name="Start now").click()
    with arcade.working(token):
        theirs = sign_in(bob, **PHONE).new_page()
        theirs.goto(f"{arcade.url}/observatory/play/{session}")
        theirs.get_by_role("button", name="Watch").click()
        watched = game_frame(theirs)
        expect(watched.locator("#seats li").first).to_be_visible()
        assert_sound(theirs)
        get_ready(mine)  # the game waits for it
        frame = game_frame(mine)
        expect(frame.locator("#status")).to_have_text("connected")
        mine.locator("iframe").focus()
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowDown"):
            mine.keyboard.press(key)
            mine.wait_for_timeout(300)
        assert frame.locator("[data-move=down]").get_attribute("aria-pressed") == "true"
        expect(mine.get_by_text("The game is over.")).to_be_visible()
        expect(theirs.get_by_text("The game is over.")).to_be_visible()
        final = frame.locator("#status").inner_text()
        assert final in ("you won", "you lost", "a draw"), final
        painted = frame.locator("#seats").inner_text()
        assert any(character in painted for character in "123456789"), painted
    assert problems == []


def test_a_strangers_page_is_stopped_whatever_it_tries(
    arcade: Arcade, token: str, app: FastAPI, clock: Any, ada: Any, bob: Any, sign_in: Any
) -> None:
    coworld = put_stranger(app, clock, bob, {"stranger.html": STRANGER.read_text()})
    session = arcade.create(ada, coworld)["session_id"]
    seat = arcade.join(ada, session)
    arcade.act(ada, session, "start")
    context = sign_in(ada)
    page = context.new_page()
    address = f"{arcade.url}/observatory/play/{session}"
    with arcade.working(token):
        arcade.running(ada, session)
        page.goto(address)
        get_ready(page)
        frame = game_frame(page)
        results = frame.evaluate("() => window.results")
        assert {name for name, result in results.items() if result != "stopped"} == set(), results
        assert len(results) >= 27
        assert page.url == address and context.pages == [page]  # neither navigated nor a second window
        expect(page.get_by_role("heading", level=1)).to_have_text("Play stranger")
        framed = [inner for inner in frame.child_frames if inner.url.startswith(arcade.url)]
        assert framed == []

        # It leaves its own frame for the site: the site refuses to be framed.
        frame.evaluate("() => { location.href = '/observatory/me'; }")
        page.wait_for_timeout(700)
        inside = [inner for inner in page.frames if inner != page.main_frame]
        assert all("Alignment League" not in inner.content() for inner in inside)

        # At the top level, by its own address, it has no more rights.
        page.goto(seat["target_url"])
        page.wait_for_url("**/client/player**")
        alone = page.evaluate("() => window.results")
        assert {name for name, result in alone.items() if result != "stopped"} == set(), alone
        assert context.pages == [page] and "/observatory/games/" in page.url
        kept = [cookie for cookie in context.cookies() if cookie["name"] == COOKIE]
        assert len(kept) == 1 and kept[0]["value"] != "stolen"
        page.goto(f"{arcade.url}/observatory/me")
        expect(page.get_by_text("ada").first).to_be_visible()  # still signed in
        workers = page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length")
        assert workers == 0
        arcade.act(ada, session, "end")


def test_the_page_of_a_lobby_shows_its_seats_and_starts_the_game(
    arcade: Arcade, world: World, client: Any, token: str, ada: Any, bob: Any, sign_in: Any
) -> None:
    field = Field(world, client)
    manifest = game("paint")
    manifest["variants"][0]["game_config"] |= {"lockstep": False, "max_ticks": 30, "tick_rate": 20}
    field.coworld(ada, manifest=manifest)
    league = field.seed(ada)["league_id"]
    lobby = arcade.call("POST", f"/v2/leagues/{league}/lobbies", ada, {"idempotency_key": "one"})["id"]
    mine, theirs = sign_in(ada).new_page(), sign_in(bob, **PHONE).new_page()
    for page in (mine, theirs):
        page.goto(f"{arcade.url}/observatory/lobbies/{lobby}")
        expect(page.get_by_role("heading", level=1)).to_contain_text("Lobby of Main")
    mine.get_by_label("Occupant of seat 1").select_option("human")
    theirs.get_by_role("button", name="Take this seat").click()  # it appeared by itself
    expect(mine.get_by_text("bob")).to_be_visible()
    assert_sound(mine)
    assert_sound(theirs)
    mine.get_by_role("button", name="Start the game").click()
    with arcade.working(token):
        get_ready(mine)
        get_ready(theirs)
        expect(game_frame(mine).locator("#status")).not_to_have_text("")
        expect(game_frame(theirs).locator("#status")).not_to_have_text("")
        expect(mine.get_by_text("The game is over.")).to_be_visible()
        expect(mine.get_by_role("link", name="Episode and replay")).to_be_visible()
