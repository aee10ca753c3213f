"""The pages of leagues in a real browser, with a league that has played rounds. The test plays the episodes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from packages.observatory.tests.browser.checks import CONTRAST, STRUCTURE
from packages.observatory.tests.browser.league_scene import (
    PASSWORD,
    LeagueScene,
    commissioner_round,
    play_league,
)
from packages.observatory.tests.rounds.conftest import Yard, alphabetical

pytestmark = pytest.mark.slow
PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def scene(yard: Yard, clock: Any, server: Any) -> LeagueScene:
    server.app.state.settings.public_url = server.url  # forms come from this address
    return play_league(yard, clock)


def sign_in(page: Page, url: str, name: str) -> None:
    page.goto(f"{url}/sign-in")
    page.wait_for_load_state("networkidle")  # the page before may still receive its cookie
    page.fill("#email", f"{name}@example.com")
    page.fill("#password", PASSWORD)
    page.click("button")
    page.wait_for_url("**/observatory/home")


def settled(page: Page) -> None:
    page.wait_for_selector("main h1")
    expect(page.locator(".loading")).to_have_count(0)


def test_every_league_page_fits_a_phone_and_is_readable_in_both_themes(
    scene: LeagueScene, server: Any, open_page: Any
) -> None:
    wrong = []
    for theme in ("light", "dark"):
        page = open_page(f"{server.url}/sign-in", color_scheme=theme, **PHONE)
        sign_in(page, server.url, "owner")
        for address in scene.addresses():
            page.goto(server.url + address)
            settled(page)
            assert page.evaluate("document.documentElement.dataset.theme") == theme
            problems = page.evaluate(STRUCTURE) + page.evaluate(CONTRAST)
            wrong += [f"{theme} {address}: {problem}" for problem in problems]
    assert wrong == []


def test_a_visitor_understands_a_league_and_follows_it_live(scene: LeagueScene, server: Any, open_page: Any) -> None:
    yard = scene.yard
    page = open_page(f"{server.url}/observatory/leagues")
    page.click("article.card h2 a")
    expect(page.locator(".state-line").first).to_contain_text("Playing round")
    expect(page.locator("[data-testid=live]")).to_have_text("live")
    page.evaluate("window.stayed = true")
    page.click(".division-card a.division:has-text('Competition')")
    table = page.locator("table.standings")
    expect(table.locator("tr.is-promotion")).to_contain_text("move up to Gold")
    expect(table.locator("td > svg.sparkline").first).to_be_visible()
    number = table.locator("tbody tr:not(.is-line)").count()
    assert number >= 2
    page.click(".tabs a:has-text('Rounds')")
    page.locator("tbody tr", has_text="running").locator("a").first.click()
    expect(page.locator("h1")).to_contain_text("Round")
    expect(page.locator("[aria-label=Episodes] .episode").first).to_be_visible()
    progress = page.locator(".page-head .round-progress")
    expect(progress).to_contain_text("episodes")
    yard.play(alphabetical)
    yard.check()
    expect(page.locator("main .chip", has_text="completed").first).to_be_visible()  # the stream brings it
    expect(page.locator("table", has_text="Rating").first).to_contain_text("dave")
    expect(page.locator("table.square")).to_be_visible()
    assert page.evaluate("window.stayed") is True
    page.locator("table.rows:not(.square) a.player").first.click()
    page.wait_for_url("**/observatory/players/**")
    expect(page.locator("figure.rating-chart svg")).to_be_visible()
    expect(page.locator(".timeline li").last).to_contain_text("Submitted")


def test_the_owner_operates_a_league_and_no_setting_is_lost(scene: LeagueScene, server: Any, open_page: Any) -> None:
    yard = scene.yard
    league = f"{server.url}/observatory/leagues/{yard.league}"
    page = open_page(league)
    expect(page.locator(".tabs")).to_contain_text("Events")
    expect(page.locator(".tabs")).not_to_contain_text("Manage")
    sign_in(page, server.url, "owner")
    page.goto(f"{league}/manage")
    page.click("button:has-text('Pause rounds')")
    expect(page.locator("button:has-text('Resume rounds')")).to_be_visible()
    assert yard.read(f"/v2/leagues/{yard.league}")["rounds_paused_at"] is not None
    page.click("button:has-text('Resume rounds')")
    expect(page.locator("button:has-text('Pause rounds')")).to_be_visible()
    page.click("button:has-text('Lock submissions')")
    expect(page.locator("button:has-text('Open submissions')")).to_be_visible()

    interval = page.get_by_label("Round interval minutes")
    expect(interval).to_have_value("10")
    interval.fill("25")
    interval.blur()
    page.get_by_label("Strategy").select_option("team_pair")
    expect(page.get_by_label("Team layout")).to_be_visible()
    yard.configure({"fulfillment": {"retry_times": 7}}, round_interval_minutes=10)  # someone else saves first
    page.click("button:has-text('Save settings')")
    expect(page.locator(".problem")).to_contain_text("yours are still here")
    page.click("button:has-text('Save settings')")
    expect(page.locator(".message")).to_contain_text("saved")
    stored = yard.call("GET", f"/v2/leagues/{yard.league}/settings")["settings"]
    assert stored["round_interval_minutes"] == 25 and stored["ladder"]["scheduler"]["strategy"] == "team_pair"
    assert stored["ladder"]["fulfillment"]["retry_times"] == 7
    open_page.problems[:] = [text for text in open_page.problems if "409" not in text]

    page.goto(f"{server.url}/observatory/rounds/{scene.playing}")
    page.click("button:has-text('Cancel this round')")
    page.keyboard.press("Escape")
    assert yard.read(f"/v2/rounds/{scene.playing}")["status"] == "running"
    page.click("button:has-text('Cancel this round')")
    page.fill("#confirm-reason", "a wrong map")
    page.click("dialog button:has-text('Cancel the round')")
    expect(page.locator(".page-head .problem")).to_contain_text("a wrong map")

    page.goto(f"{server.url}/observatory/divisions/{scene.divisions['Competition']}/members")
    row = page.locator("tbody tr", has_text="dave")
    row.get_by_role("button", name=re.compile("Retire")).click()
    page.click("dialog button:has-text('Retire')")
    expect(row).to_have_count(0)


def test_a_player_chooses_its_champion_and_reads_why_a_version_is_benched(
    scene: LeagueScene, server: Any, open_page: Any
) -> None:
    yard = scene.yard
    headers = {"X-Auth-Token": yard.account("ada").token}
    page = open_page(f"{server.url}/observatory/leagues/{yard.league}", extra_http_headers=headers)
    newest = page.locator(".entry").first
    expect(newest).to_contain_text("in Qualifiers")
    expect(newest).to_contain_text("It plays in round 2 now")
    yard.play()
    yard.check()
    entry = page.locator(".entry[data-state=benched]")
    expect(entry).to_contain_text("ada:v1 is the champion of ada and plays instead")
    entry.get_by_role("button", name=re.compile("Make champion")).click()
    expect(newest).not_to_have_attribute("data-state", "benched")


def test_the_report_of_a_commissioner_runs_no_script(scene: LeagueScene, server: Any, open_page: Any) -> None:
    round_id = commissioner_round(scene)
    page = open_page(f"{server.url}/observatory/leagues")
    with page.expect_console_message(lambda message: "Blocked script execution" in message.text):
        page.goto(f"{server.url}/observatory/rounds/{round_id}")
    frame = page.frame_locator("iframe.report-frame")
    expect(frame.locator("h1")).to_have_text("Seen by the commissioner")
    expect(page.locator("section", has=page.locator("iframe.report-frame"))).to_contain_text("the state was too large")
    assert "broken" not in page.title()
    address = page.locator("iframe.report-frame").get_attribute("src")
    answer = page.request.get(server.url + str(address))
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    other = page.request.get(server.url + re.sub(r"/[^/]+/$", "/x/", str(address)))
    assert other.status == 404
    page.close()
    open_page.problems[:] = [text for text in open_page.problems if "Blocked script execution" not in text]


def test_the_keyboard_gets_from_a_league_to_a_round(scene: LeagueScene, server: Any, open_page: Any) -> None:
    page = open_page(f"{server.url}/observatory/leagues")
    page.locator("article.card h2 a").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/observatory/leagues/league_**")
    assert page.evaluate("document.activeElement.tagName") == "MAIN"
    page.locator(".tabs a", has_text="Rounds").focus()
    page.keyboard.press("Enter")
    page.locator("tbody a", has_text="Round").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/observatory/rounds/**")
    expect(page.locator("h1")).to_contain_text("Round")
