"""Front page, games, episodes and search in a real browser, with episodes of Paint Arena that a real worker played."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from packages.observatory.tests.browser import arena, hostile
from packages.observatory.tests.browser.checks import CONTRAST, STRUCTURE
from packages.observatory.tests.browser.running import PASSWORD, RunningServer, wait_for

pytestmark = pytest.mark.slow

PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    server = RunningServer(tmp_path_factory.mktemp("site"))
    try:
        server.make_season()
        yield server
    finally:
        server.close()


@pytest.fixture(scope="module")
def game(site: RunningServer) -> str:
    return arena.publish(site, viewer=arena.own_viewer())


@pytest.fixture(scope="module")
def played(site: RunningServer, game: str) -> str:
    """An episode that the worker played."""
    return arena.play(site, game, title="A duel")


@pytest.fixture(scope="module")
def operator(site: RunningServer, browser: Browser) -> Any:
    """The state of a browser in which the administrator is signed in."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.admin_link)
    page.fill("#password", PASSWORD)
    page.click("button")
    page.wait_for_url("**/observatory/home")
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """open_page(address, **context) opens a page; at the end no script of ours may have failed."""
    contexts, problems = [], []

    def open_page(address: str, *, state: Any = None, **settings: Any) -> Page:
        shape = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark", **settings}
        context = browser.new_context(storage_state=state, **shape)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def test_an_episode_shows_the_games_own_replay_beside_results_logs_and_reports(
    site: RunningServer, played: str, operator: Any, open_page: Any
) -> None:
    page = open_page(f"{site.url}/observatory/episodes/{played}", state=operator)
    expect(page.get_by_test_id("sentence")).to_have_text(re.compile("won with|A draw|seats? scored"))
    frame = page.frame_locator(".game-frame iframe")
    expect(frame.locator("h1")).to_have_text("Paint Arena: replay")
    expect(frame.locator("#time")).to_contain_text(re.compile(r"tick \d+ of 6"))
    assert page.locator(".game-frame iframe").get_attribute("sandbox") == "allow-scripts allow-pointer-lock"
    seats = page.locator("table.rows", has_text="Rank")
    expect(seats.locator("tbody tr")).to_have_count(2)
    expect(page.locator("table.rows", has_text="Painted tiles").locator("tbody tr")).to_have_count(2)
    page.locator("summary", has_text="Game log").click()
    expect(page.locator("details[open] pre").last).to_be_visible()

    page.click("button:has-text('Run softmax/default-reporter@1')")
    report = page.frame_locator(".report-frame")
    expect(report.locator("h1")).to_contain_text("Episode", timeout=90_000)
    assert page.locator(".report-frame").get_attribute("sandbox") == ""
    page.click("button:has-text('Run Default grader')")
    expect(page.locator("article.report", has_text="Default grader").locator("pre")).to_contain_text(
        "margin_tiles", timeout=90_000
    )


def test_a_hostile_replay_viewer_can_do_nothing_outside_its_frame(
    site: RunningServer, operator: Any, open_page: Any
) -> None:
    episode = arena.play(site, arena.publish(site, "hostile", viewer=hostile.FILES))
    page = open_page(f"{site.url}/observatory/episodes/{episode}", state=operator)
    opened: list[Page] = []
    page.context.on("page", lambda new: opened.append(new))
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    results = page.frame_locator(".game-frame iframe").locator("#results")
    expect(results).to_contain_text("origin", timeout=90_000)
    report = json.loads(results.inner_text())
    assert report["origin"] == "null"
    assert {name: succeeded for name, succeeded in report["results"].items() if succeeded} == {}
    assert len(report["results"]) == 19
    assert opened == dialogs == []
    assert page.url == f"{site.url}/observatory/episodes/{episode}"
    assert page.evaluate("document.body.id") == ""
    assert page.evaluate("fetch('/observatory/api/me').then((a) => a.json()).then((me) => me.signed_in)") is True

    # The same page at the top level, as if a victim had opened its address: still an opaque origin, still no session.
    address = page.locator(".game-frame iframe").get_attribute("src").partition("#")[0]  # type: ignore[union-attr]
    alone = open_page(site.url + address, state=operator)
    expect(alone.locator("#results")).to_contain_text("origin", timeout=90_000)
    report = json.loads(alone.locator("#results").inner_text())
    succeeded = {name for name, done in report["results"].items() if done}
    # No page is around it: those two attacks reach its own document.
    assert report["origin"] == "null" and succeeded <= {"read the page around it", "change the page around it"}


def test_a_game_without_a_static_viewer_is_started_for_its_replay_and_to_be_played(
    site: RunningServer, operator: Any, open_page: Any
) -> None:
    coworld_id = arena.publish(site, "hostedarena")
    page = open_page(f"{site.url}/observatory/episodes/{arena.play(site, coworld_id)}", state=operator)
    page.click("button:has-text('Open the replay')")
    frame = page.frame_locator(".game-frame iframe")
    expect(frame.locator("h1")).to_have_text("Paint Arena: replay", timeout=90_000)
    expect(frame.locator("#time")).to_contain_text(re.compile(r"tick \d+ of 6"), timeout=60_000)
    page.goto(f"{site.url}/observatory/coworlds/{coworld_id}")
    page.click("button:has-text('Play in the browser')")
    page.wait_for_url(re.compile("/observatory/play/ps_"))
    expect(page.locator("h1")).to_contain_text("hostedarena")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_of_the_site_fits_a_phone_and_is_readable(
    site: RunningServer, game: str, played: str, operator: Any, open_page: Any, theme: str
) -> None:
    wrong = []
    page = open_page(f"{site.url}/observatory", state=operator, color_scheme=theme, **PHONE)
    coworld = f"/observatory/coworlds/{game}"
    for address in (
        "/observatory",
        f"/observatory/episodes/{played}",
        "/observatory/coworlds",
        coworld,
        f"{coworld}/docs",
        f"{coworld}/docs/rules.md",
        f"{coworld}/versions",
        f"{coworld}/episodes",
        "/observatory/search?q=paint",
        "/observatory/me",
        "/observatory/queue",
        "/observatory/upload",
    ):
        page.goto(site.url + address)
        page.wait_for_selector("main h1")
        expect(page.locator(".loading")).to_have_count(0)
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        problems = page.evaluate(STRUCTURE) + page.evaluate(CONTRAST)
        wrong += [f"{address}: {problem}" for problem in problems]
    assert wrong == []


def test_a_slash_focuses_the_search_and_the_keyboard_opens_a_result(
    site: RunningServer, game: str, open_page: Any
) -> None:
    page = open_page(f"{site.url}/observatory/coworlds")
    page.wait_for_selector("article.card")
    page.keyboard.press("/")
    page.keyboard.type("paintar")
    expect(page.locator(".hits .hit")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/observatory/coworlds/paintarena")
    expect(page.locator("h1")).to_contain_text("paintarena")
    page.click(".tabs a:has-text('Docs')")
    page.click(".docs-list a:has-text('Rules')")
    page.wait_for_url("**/docs/rules.md")
    expect(page.locator(".rich h4").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("nothing like this")
    page.keyboard.press("Enter")
    page.wait_for_url("**/observatory/search?q=nothing*")
    expect(page.locator("main")).to_contain_text("No results for")


def test_the_front_page_has_seasons_and_leagues_and_tells_newcomers_what_to_do(
    site: RunningServer, game: str, operator: Any, open_page: Any
) -> None:
    wait_for(lambda: _is_canonical(site, game), seconds=180)
    league = arena.league(site)
    page = open_page(f"{site.url}/observatory")
    expect(page.locator("[data-season=short]")).to_contain_text("season")
    expect(page.locator(f"[data-league='{league}']")).to_contain_text("Painters' league")
    expect(page.locator(".welcome")).to_contain_text("Browse the games")
    page.click(".welcome a:has-text('Browse the games')")
    expect(page.locator("[data-coworld=paintarena]")).to_contain_text("Painters' league")
    page.go_back()
    version = site.upload("entrant")
    with site.admin() as http:
        body = {"league_id": league, "policy_version_id": version}
        assert http.post("/v2/league-submissions", json=body).is_success
    mine = open_page(f"{site.url}/observatory", state=operator)
    expect(mine.locator("[data-entry=league]")).to_contain_text("entrant")
    expect(mine.locator("[data-entry=season]")).to_contain_text("entrant")
    mine.click("a.who")
    expect(mine.locator("main")).to_contain_text("League submissions")
    mine.goto(f"{site.url}/observatory/policies/{version}")
    expect(mine.locator("section.panel", has_text="Leagues")).to_contain_text("Painters' league")


def _is_canonical(site: RunningServer, coworld_id: str) -> bool:
    with site.admin() as http:
        return bool(http.get(f"/v2/coworlds/{coworld_id}").json()["canonical"])
