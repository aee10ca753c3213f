"""A visitor shares a moment, another site shows it, its author is found and challenged; on a desktop and on a phone."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from packages.observatory.tests.browser.checks import CONTRAST, STRUCTURE
from packages.observatory.tests.browser.running import PASSWORD, RunningServer, quiet_bundle, wait_for

pytestmark = pytest.mark.slow

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "color_scheme": "light"}
SHAPES = pytest.mark.parametrize("shape", [DESKTOP, PHONE], ids=["desktop", "phone"])
TICK = 7


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with a season in which two policies of the administrator have played."""
    server = RunningServer(tmp_path_factory.mktemp("sharing"))
    try:
        server.make_season()
        server.upload("alpha")
        server.upload("beta")
        wait_for(lambda: [row for row in server.matches() if len(row["players"]) == 2], seconds=180)
        yield server
    finally:
        server.close()


@pytest.fixture(scope="module")
def ada(league: RunningServer, browser: Browser) -> Any:
    """The state of a browser in which ada has an account and a policy."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(league.invitation())
    page.fill("#email", "ada")
    page.fill("#password", PASSWORD)
    page.click("button")
    page.wait_for_url("**/observatory/home")
    page.goto(f"{league.url}/observatory/upload")
    page.set_input_files("#bundle", {"name": "gamma.zip", "mimeType": "application/zip", "buffer": quiet_bundle()})
    page.select_option("#season", "")
    page.click("button:has-text('Upload')")
    expect(page.locator("[data-testid=uploaded]")).to_be_visible(timeout=60_000)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def foreign_site() -> Iterator[Any]:
    """Serves a page of another site with this body; gives its address."""
    body = {"html": ""}

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = f"<!doctype html><html lang=en><title>Blog</title><h1>My blog</h1>{body['html']}".encode()
            self.send_response(200 if self.path == "/" else 204)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(text if self.path == "/" else b"")

        def log_message(self, format: str, *args: Any) -> None:
            pass

    def show(html: str) -> str:
        body["html"] = html
        return f"http://localhost:{server.server_address[1]}/"

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield show
        server.shutdown()
        thread.join(10)


def look_over(page: Page) -> None:
    """Structure and contrast of the page as it is now."""
    assert page.evaluate(STRUCTURE) == [] and page.evaluate(CONTRAST) == []


def played(league: RunningServer) -> str:
    match: str = next(row for row in league.matches() if len(row["players"]) == 2)["id"]
    return match


@SHAPES
def test_a_visitor_shares_a_moment_and_finds_the_author(
    league: RunningServer, open_page: Any, foreign_site: Any, shape: dict[str, Any]
) -> None:
    page = open_page(f"{league.url}/observatory/matches/{played(league)}", **shape)
    replay = page.frame_locator(".replay iframe")
    expect(replay.locator(".last-tick")).to_have_text("/ 20", timeout=60_000)
    page.locator(".replay iframe").element_handle().content_frame().evaluate(f"mettascope.app.seek({TICK})")
    page.click("button:has-text('Share')")
    dialog = page.locator("dialog[open]")
    expect(dialog).to_contain_text(f"Start at this moment (tick {TICK})")
    look_over(page)
    link, code = dialog.locator("#share-link").input_value(), dialog.locator("#share-embed").input_value()
    assert link.endswith(f"?tick={TICK}")
    dialog.locator("#share-moment").uncheck()
    assert dialog.locator("#share-link").input_value() == link.removesuffix(f"?tick={TICK}")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    other = open_page(link, **shape)
    expect(other.frame_locator(".replay iframe").locator(".last-tick")).to_have_text("/ 20", timeout=60_000)
    frame = other.locator(".replay iframe").element_handle().content_frame()
    assert frame.evaluate("mettascope.app.tick") == TICK

    blog = open_page(foreign_site(code), **shape)
    embedded = blog.frame_locator("iframe")
    expect(embedded.locator(".last-tick")).to_have_text("/ 20", timeout=60_000)
    assert blog.locator("iframe").element_handle().content_frame().evaluate("mettascope.app.tick") == TICK
    expect(embedded.locator("[data-testid=source]")).to_have_attribute("href", re.compile("/observatory/matches/"))

    name = page.locator(".policy-author .person").first.inner_text()
    if shape is PHONE:
        page.click(".search-link")
        field = page.locator(".search-field")
    else:
        page.keyboard.press("/")
        field = page.locator(".top .search input")
    field.fill(name)
    found = page.locator(".ranked a" if shape is PHONE else ".hit").filter(has_text="Person").first
    expect(found).to_be_visible()
    look_over(page)
    field.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/observatory/people/*")
    expect(page.locator("h1")).to_have_text(name)
    expect(page.locator("main")).to_contain_text("alpha")
    expect(page.locator("[data-best]").first).to_be_visible()
    look_over(page)


@SHAPES
def test_an_author_challenges_a_policy_and_is_told_about_the_match(
    league: RunningServer, open_page: Any, ada: Any, shape: dict[str, Any]
) -> None:
    rival = next(row for row in league.matches() if len(row["players"]) == 2)["players"][0]["policy"]
    page = open_page(f"{league.url}/observatory/policies/{rival['id']}", state=ada, **shape)
    page.click("button:has-text('Challenge')")
    page.select_option("#challenge-mission", "season:short")
    look_over(page)
    page.click("dialog button:has-text('Challenge')")
    page.wait_for_url("**/observatory/friendlies/*")
    expect(page.locator("main .chip").first).to_have_text("waits for an answer")
    expect(page.locator("button:has-text('Withdraw')")).to_be_visible()
    look_over(page)
    with league.admin() as http:
        friendly = page.url.rsplit("/", 1)[1]
        mine = http.get("/observatory/api/notices").json()["rows"]
        assert any(friendly in row["url"] and "challenges" in row["title"] for row in mine)
        assert http.post(f"/observatory/api/friendlies/{friendly}/accept").status_code == 200
    expect(page.frame_locator(".replay iframe").locator(".last-tick")).to_have_text("/ 20", timeout=120_000)
    expect(page.locator("main .chip").first).to_have_text("completed")
    bell = page.locator(".bell")
    expect(bell).to_have_attribute("aria-label", re.compile(r"\d+ unread"))
    bell.click()
    page.wait_for_url("**/observatory/me/notices")
    first = page.locator(".notices li").first
    expect(first).to_contain_text("A friendly match was played")
    look_over(page)
    page.click("button:has-text('Mark all as read')")
    expect(bell).to_have_attribute("aria-label", "Notices")
    page.get_by_label("Another policy overtook yours: on the page").uncheck()
    expect(page.locator(".toast")).to_have_text("Saved")
    page.get_by_label("Another policy overtook yours: on the page").check()
    first.locator("a").click()
    page.wait_for_url("**/observatory/friendlies/*")
