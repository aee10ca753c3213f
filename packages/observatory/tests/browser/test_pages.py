"""The pages in a real browser, on a real server with a real worker: nothing is faked but the length of the games."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from packages.observatory.tests.browser.checks import CONTRAST, STRUCTURE
from packages.observatory.tests.browser.running import PASSWORD, TEAMS, RunningServer, quiet_bundle, wait_for

pytestmark = pytest.mark.slow

# 64 letters each, as many as a name may have.
HOSTILE = {
    "markup": "<img src=x onerror=\"document.body.id='broken'\"><b>bold</b>",
    "backwards": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 <script>document.body.id='broken'</script>",
    "wide": "幅" * 64,
}
PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server, and a season."""
    server = RunningServer(tmp_path_factory.mktemp("league"))
    try:
        server.make_season()
        yield server
    finally:
        server.close()


@pytest.fixture(scope="module")
def hostile(league: RunningServer) -> dict[str, str]:
    """Policies with such names, which play; their versions' ids."""
    return {key: league.upload(name) for key, name in HOSTILE.items()}


@pytest.fixture(scope="module")
def ada(league: RunningServer, browser: Browser) -> Any:
    """The state of a browser in which ada has made her account."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(league.invitation())
    page.fill("#email", "ada")
    page.fill("#password", PASSWORD)
    page.click("button")
    page.wait_for_url("**/observatory/home")
    state = context.storage_state()
    context.close()
    return state


def drop_file(page: Page, selector: str, name: str, data: bytes) -> None:
    """As a hand with a mouse does."""
    text = base64.b64encode(data).decode()
    transfer = page.evaluate_handle(
        """([name, text]) => {
          const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
          const transfer = new DataTransfer();
          transfer.items.add(new File([bytes], name, { type: "application/zip" }));
          return transfer;
        }""",
        [name, text],
    )
    for kind in ("dragenter", "dragover", "drop"):
        page.dispatch_event(selector, kind, {"dataTransfer": transfer})


def test_a_policy_dropped_on_the_page_plays_and_its_result_appears_automatically(
    league: RunningServer, open_page: Any
) -> None:
    page = open_page(league.invitation())
    page.fill("#email", "grace")
    page.fill("#password", PASSWORD)
    page.click("button")
    page.wait_for_url("**/observatory/home")
    page.click("button:has-text('Sign out')")
    page.wait_for_url("**/sign-in")

    page.goto(f"{league.url}/observatory/upload?season=short")
    page.click("main a:has-text('Sign in')")
    page.fill("#email", "grace")
    page.fill("#password", PASSWORD)
    page.click("button")
    page.wait_for_url("**/observatory/upload?season=short")

    drop_file(page, ".drop", "not a bundle.zip", b"no zip at all")
    expect(page.locator("#name")).to_have_value("not a bundle")
    page.click("button:has-text('Upload')")
    refusal = page.locator("main .problem")
    expect(refusal).to_contain_text(re.compile("zip"))
    assert "Traceback" not in refusal.inner_text()

    page.fill("#name", "dropped")
    drop_file(page, ".drop", "mine.zip", quiet_bundle())
    page.click("button:has-text('Upload')")
    following = page.locator("[data-testid=following] .entry")
    expect(following).to_contain_text("dropped", timeout=60_000)
    expect(page.locator("[data-testid=live]")).to_have_text("live")

    page.evaluate("window.stayed = true")
    page.click("a:has-text('Leaderboard')")
    row = page.locator(".standings tbody tr", has_text="dropped")
    expect(row).to_be_visible(timeout=120_000)
    expect(page.locator(".entries [data-state]")).to_contain_text("dropped")
    assert page.evaluate("window.stayed") is True

    row.locator("a.policy").click()
    expect(page.locator("h1")).to_contain_text("dropped")
    expect(page.locator("figure.chart svg")).to_be_visible()
    page.locator("main a[href*='/observatory/seasons/short']").first.click()
    page.click(".tabs a:has-text('Matches')")
    match = page.locator("tr", has_text="dropped").filter(has_text="completed").first
    match.locator("td a").first.click()
    replay = page.frame_locator(".replay iframe")
    expect(replay.locator(".hud-chip").first).to_be_visible(timeout=60_000)
    expect(replay.locator(".last-tick")).to_have_text("/ 20")
    page.locator("summary", has_text="Agent 0").first.click()
    expect(page.locator("details pre").first).to_contain_text("hello from the box")
    assert page.evaluate("window.stayed") is True
    open_page.problems[:] = [text for text in open_page.problems if "400" not in text]  # the refusal above, and only it


def test_a_policy_can_be_chosen_from_a_list_of_files_and_submitted_later(
    league: RunningServer, ada: Any, open_page: Any
) -> None:
    page = open_page(f"{league.url}/observatory/upload", state=ada)
    page.set_input_files("#bundle", {"name": "chosen.zip", "mimeType": "application/zip", "buffer": quiet_bundle()})
    expect(page.locator("#name")).to_have_value("chosen")
    page.select_option("#season", "")
    page.click("button:has-text('Upload')")
    expect(page.locator("[data-testid=uploaded]")).to_contain_text("is not in a season yet")
    page.goto(f"{league.url}/observatory/seasons/short")
    page.click("[data-testid=submit-policy]")
    page.select_option(".submit-form select", label="chosen v1")
    page.click(".submit-form button:has-text('Submit')")
    expect(page.locator(".entries [data-policy]")).to_contain_text("chosen")
    page.goto(f"{league.url}/observatory/me")
    expect(page.locator("main table").first).to_contain_text("chosen")


def addresses(league: RunningServer, policy: str) -> list[str]:
    match = wait_for(lambda: league.matches(), seconds=90)[0]["id"]
    season = "/observatory/seasons/short"
    return [
        "/observatory",
        season,
        f"{season}/stages",
        f"{season}/matches",
        f"{season}/about",
        f"/observatory/matches/{match}",
        f"/observatory/matches/{match}/compare",
        f"/observatory/policies/{policy}",
        "/observatory/upload",
        "/observatory/queue",
        "/observatory/me",
        "/observatory/manage",
        "/observatory/nothing/here",
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_fits_a_phone_is_readable_and_executes_no_markup_in_names(
    league: RunningServer, hostile: dict[str, str], ada: Any, open_page: Any, theme: str
) -> None:
    wrong = []
    page = open_page(f"{league.url}/observatory", state=ada, color_scheme=theme, **PHONE)
    for address in addresses(league, hostile["markup"]):
        page.goto(league.url + address)
        page.wait_for_selector("main h1")
        expect(page.locator(".loading")).to_have_count(0)
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        problems = page.evaluate(STRUCTURE) + page.evaluate(CONTRAST)
        wrong += [f"{address}: {problem}" for problem in problems]
    assert wrong == []
    open_page.problems[:] = [text for text in open_page.problems if "404" not in text]  # the page that is not there
    page.goto(f"{league.url}/observatory/seasons/short/about")
    expect(page.locator(".rich")).to_contain_text("<img src=x")
    assert page.locator(".rich a").evaluate_all("links => links.map((link) => link.href)") == [
        "https://example.com/rules"
    ]


def test_a_page_reconnects_and_shows_missed_changes(league: RunningServer, open_page: Any) -> None:
    page = open_page(f"{league.url}/observatory/seasons/short")
    mark, counts = page.locator("[data-testid=live]"), page.locator(".counts")
    expect(mark).to_have_text("live")
    before = int(re.search(r"of (\d+) still active", counts.inner_text())[1])  # type: ignore[index]
    league.stop()
    expect(mark).to_have_text("reconnecting", timeout=30_000)
    league.start()
    league.upload("late")
    expect(mark).to_have_text("live", timeout=60_000)
    expect(counts).to_contain_text(f"of {before + 1} still active", timeout=60_000)
    open_page.problems.clear()  # a browser tells every attempt that failed


def test_the_keyboard_alone_gets_from_the_seasons_to_a_policy(league: RunningServer, open_page: Any) -> None:
    page = open_page(f"{league.url}/observatory")
    page.wait_for_selector("article.card")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "MAIN"
    page.locator("article.card h3 a").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/observatory/seasons/short")
    assert page.evaluate("document.activeElement.tagName") == "MAIN"
    page.go_back()
    page.wait_for_selector("article.card")
    page.click("button[aria-label='Switch theme']")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.reload()
    page.wait_for_selector("article.card")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_an_operator_edits_a_season_on_the_page_and_sees_its_mistakes(league: RunningServer, open_page: Any) -> None:
    page = open_page(league.admin_link)
    page.fill("#password", PASSWORD)
    page.click("button")
    page.wait_for_url("**/observatory/home")
    page.goto(f"{league.url}/observatory/manage/seasons/short")
    page.get_by_role("tab", name="YAML").click()
    text = page.locator("#yaml")
    expect(text).to_have_value(re.compile("display_name: Short games"))
    whole = text.input_value()
    text.fill(whole.replace("mission: arena", "mission: arenna"))
    expect(page.locator("#season-check")).to_contain_text("arenna")
    expect(page.locator("button:has-text('Save')")).to_be_disabled()
    text.fill(whole.replace("Short games", "Quite short games"))
    expect(page.locator("#season-check")).to_contain_text("in place")
    page.click("button:has-text('Save')")
    expect(page.locator("[role=status] .message")).to_be_visible()
    for section in ("users", "workers", "jobs", "failures", "seasons"):
        page.click(f".tabs a:has-text('{section}')")
        expect(page.locator("main .panel h2")).to_contain_text(section.capitalize())
    expect(page.locator("main table")).to_contain_text("Quite short games")


def test_cards_and_links_describe_a_policy_to_other_sites(league: RunningServer, hostile: dict[str, str]) -> None:
    with httpx.Client(base_url=league.url, trust_env=False) as http:
        for version in hostile.values():
            page = http.get(f"/observatory/policies/{version}")
            assert page.status_code == 200 and "'self'" in page.headers["content-security-policy"]
            assert "unsafe" not in page.headers["content-security-policy"]
            assert f'content="{league.url}/observatory/api/policies/{version}/card.png"' in page.text
            assert "<img" not in page.text and "<b>bold" not in page.text
            drawing = http.get(f"/observatory/api/policies/{version}/card.svg")
            assert drawing.headers["content-type"] == "image/svg+xml"
            assert "<img" not in drawing.text and "\u202e" not in drawing.text
            picture = http.get(f"/observatory/api/policies/{version}/card.png")
            assert picture.content[:8] == b"\x89PNG\r\n\x1a\n"
            assert [int.from_bytes(picture.content[at : at + 4]) for at in (16, 20)] == [1200, 630]
            stamp = {"If-None-Match": picture.headers["etag"]}
            again = http.get(f"/observatory/api/policies/{version}/card.png", headers=stamp)
            assert again.status_code in (200, 304)
        unknown_id = "00000000-0000-0000-0000-000000000000"
        assert http.get(f"/observatory/policies/{unknown_id}").status_code == 404
        assert http.get(f"/observatory/api/policies/{unknown_id}/card.png").status_code == 404


def test_files_are_cached_and_documents_are_not(league: RunningServer) -> None:
    with httpx.Client(base_url=league.url, trust_env=False) as http:
        assert http.get("/").headers["location"] == "/observatory"
        document = http.get("/observatory", headers={"Accept": "text/html"})
        assert document.headers["cache-control"] == "no-cache"
        [script] = re.findall(r'src="(/observatory/assets/[^"]+\.js)"', document.text)
        file = http.get(script)
        assert "immutable" in file.headers["cache-control"] and file.headers["content-encoding"] == "gzip"
        assert file.headers["content-type"].startswith("text/javascript")
        lost = http.get("/observatory/nowhere", headers={"Accept": "text/html"})
        assert lost.status_code == 404 and lost.text == document.text
        assert http.get("/observatory/nowhere").json() == {"detail": "Not Found"}
        for path in (
            "/observatory/assets/..%2Fleague.html",
            "/observatory/assets/none.js",
            "/observatory/viewer/assets/x",
        ):
            assert http.get(path).status_code in (404, 422), path


def test_teams_are_shown_with_their_result_under_every_host_name(
    league: RunningServer, hostile: dict[str, str], open_page: Any
) -> None:
    league.make_season(TEAMS)
    page = open_page(f"{league.url}/observatory/seasons/teams/teams".replace("127.0.0.1", "localhost"), **PHONE)
    teams = page.get_by_label("Teams", exact=True)
    expect(teams).to_contain_text("No teams yet")
    with league.admin() as http:
        http.post("/observatory/api/admin/seasons/short/close", json={"final": True})  # its matches would come first
        for version in (hostile["markup"], hostile["wide"]):
            body = {"policy_version_id": version}
            assert http.post("/tournament/seasons/teams/submissions", json=body).is_success
    last = teams.locator("button.chip[aria-pressed=true]", has_text="team-round-2")
    expect(last).to_be_visible(timeout=120_000)  # the round after the culling
    expect(teams.locator("tbody tr")).to_have_count(1)
    teams.locator("button.chip", has_text="team-round-1").click()
    expect(teams.locator("tbody tr")).to_have_count(2)
    expect(teams.locator("tr.is-out")).to_contain_text("Place 2 of 2; the best 1 advance")
    assert page.evaluate(STRUCTURE) + page.evaluate(CONTRAST) == []
    page.click(".tabs a:has-text('Leaderboard')")
    expect(page.locator(".standings tbody tr")).to_have_count(2)
    match = league.matches(season="teams")[0]["id"]
    page.goto(f"{league.url}/observatory/matches/{match}".replace("127.0.0.1", "localhost"))
    expect(page.frame_locator(".replay iframe").locator(".last-tick")).to_have_text("/ 10", timeout=60_000)
