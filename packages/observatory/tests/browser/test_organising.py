"""Two journeys in a real browser: a newcomer accepts an invitation, and an organiser runs a season by its form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from packages.observatory.tests.browser.running import PASSWORD, RunningServer, quiet_bundle, wait_for
from packages.observatory.tests.live.test_played_matches import working

pytestmark = pytest.mark.slow

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 360, "height": 720}, "has_touch": True, "is_mobile": True}
SIZES = pytest.mark.parametrize(("name", "shape"), [("desktop", DESKTOP), ("phone", PHONE)])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    server = RunningServer(tmp_path_factory.mktemp("site"), workers=0)
    try:
        server.make_season()
        yield server
    finally:
        server.close()


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


def fits(page: Page) -> bool:
    """Return whether nothing is wider than the screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@SIZES
def test_a_newcomer_accepts_an_invitation_uploads_a_policy_and_sees_it_queued(
    site: RunningServer, operator: Any, open_page: Any, tmp_path: Path, name: str, shape: Any
) -> None:
    page = open_page(f"{site.url}/observatory/manage/invitations", state=operator, **shape)
    page.fill("#invite-note", f"a newcomer, {name}")
    page.get_by_role("button", name="Create link").click()
    link = page.get_by_label("Send this link").input_value()
    expect(page.get_by_role("row", name=f"a newcomer, {name}").get_by_text("open")).to_be_visible()
    assert fits(page)

    guest = open_page(link, **shape)
    guest.fill("#email", f"{name}@example.com")
    guest.fill("#password", PASSWORD)
    guest.get_by_role("button", name="Make the account").click()
    guest.wait_for_url("**/observatory/home")
    bundle = tmp_path / "mine.zip"
    bundle.write_bytes(quiet_bundle())
    guest.goto(f"{site.url}/observatory/upload?season=short")
    guest.set_input_files("input[type=file]", bundle)
    guest.fill("#name", f"mine-{name}")
    guest.get_by_role("button", name="Upload", exact=True).click()
    expect(guest.get_by_role("link", name=f"mine-{name}").first).to_be_visible()
    with site.admin() as http:
        wait_for(lambda: f"mine-{name}" in http.get("/observatory/api/queue").text)
    guest.goto(f"{site.url}/observatory/queue")
    expect(guest.get_by_role("heading", name="Shares")).to_be_visible()
    expect(guest.get_by_role("link", name=f"mine-{name} v1").first).to_be_visible()
    expect(guest.get_by_role("row", name="Short games 100 %")).to_contain_text("next")
    assert fits(guest)

    page.reload()
    expect(page.get_by_role("row", name=f"a newcomer, {name}").get_by_text("used")).to_be_visible()


@SIZES
def test_an_organiser_makes_a_season_by_the_form_opens_it_closes_it_and_undoes_that(
    site: RunningServer, operator: Any, open_page: Any, name: str, shape: Any
) -> None:
    page = open_page(f"{site.url}/observatory/manage/seasons/new", state=operator, **shape)
    page.get_by_label("Name", exact=True).fill("Not A Name")
    expect(page.locator("#season-name-problem")).to_contain_text("small letters, digits and hyphens")
    page.get_by_label("Name", exact=True).fill(f"cup-{name}")
    page.get_by_label("Title").fill(f"Cup {name}")
    page.get_by_label("Summary").fill("Four cogs, for a few steps")
    page.get_by_label("Steps").fill("20")
    page.get_by_label("Splits").fill("2-3")
    expect(page.get_by_role("alert")).to_contain_text("does not divide 4 agents")
    page.get_by_label("Splits").fill("2-2")
    page.get_by_label("Qualifying matches").fill("1")
    expect(page.locator("#season-check")).to_contain_text("would be a new season")
    page.get_by_label("Policies that enter").fill("4")
    competition = page.get_by_role("row", name="Competition")
    expect(competition).to_contain_text("30")  # 6 pairs, 1 split, 5 times
    page.get_by_role("tab", name="YAML").click()
    assert f"name: cup-{name}" in page.locator("#yaml").input_value()
    assert fits(page)
    page.get_by_role("button", name="Save draft").click()
    row = page.get_by_role("row", name=f"Cup {name}")
    expect(row.get_by_text("draft")).to_be_visible()
    visitor = open_page(f"{site.url}/observatory", **shape)
    expect(visitor.get_by_text("Short games").first).to_be_visible()
    expect(visitor.get_by_text(f"Cup {name}")).to_have_count(0)

    take(page, name, "Open", "Everyone sees the season")
    expect(row.get_by_text("playing")).to_be_visible()
    site.upload(f"entrant-{name}", season=f"cup-{name}")
    with site.admin() as http:
        wait_for(lambda: http.get(f"/observatory/api/admin/seasons/cup-{name}/life").text.count("1 waiting match"))
    take(page, name, "Close", "1 waiting match will be cancelled", reason="the hall is locked")
    expect(row.get_by_text("closed")).to_be_visible()
    [cancelled] = site.matches(status="cancelled", season=f"cup-{name}")
    assert "the hall is locked" in cancelled["error"]
    with site.admin() as http:
        published = http.get(f"/tournament/seasons/cup-{name}/matches").json()
    assert [match["status"] for match in published] == ["failed"]

    take(page, name, "Reopen", "1 cancelled match is scheduled again")
    expect(row.get_by_text("playing")).to_be_visible()
    assert [match["id"] for match in site.matches(status="waiting", season=f"cup-{name}")] == [cancelled["id"]]
    if shape is DESKTOP:
        with site.admin() as http:
            token = http.post("/admin/tokens", json={"name": "worker"}).json()["token"]
        for _ in range(4):  # jobs of the other season may come first
            with working(site.url, token):
                pass
            if site.matches(season=f"cup-{name}"):
                break
        played = open_page(f"{site.url}/observatory/matches/{cancelled['id']}", **shape)
        expect(played.get_by_text("completed", exact=True).first).to_be_visible()
        expect(played.get_by_role("heading", name="What decided it")).to_be_visible()
        visitor.goto(f"{site.url}/observatory/seasons/cup-{name}")
        expect(visitor.get_by_role("link", name=f"entrant-{name}").first).to_be_visible()
    page.goto(f"{site.url}/observatory/manage/audit")
    expect(page.get_by_role("row", name="season.close").first).to_contain_text("the hall is locked")
    assert fits(page)


def take(page: Page, name: str, step: str, consequence: str, *, reason: str | None = None) -> None:
    """Take a step of the season with the keyboard, after the dialog has named its consequences."""
    page.get_by_role("row", name=f"Cup {name}").get_by_role("button").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name=step, exact=True).press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(consequence)
    if reason is not None:
        dialog.get_by_role("textbox").fill(reason)
    dialog.get_by_role("button", name=step, exact=True).press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
