"""Every page of the site in a real browser: WCAG 2.2 AA in both themes and at 200 %, and nothing cut off on a phone.

The test follows the links of the pages, and opens one page of each kind. A new page is checked once a link leads to it;
the router says which kinds there are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError, expect

from observatory.database.tables.accounts import User
from observatory.http.visitors import COOKIE
from observatory.signing import Signer
from observatory.store import job_key
from packages.observatory.tests.browser.league_scene import LeagueScene, play_league
from packages.observatory.tests.matches.test_explanations import EXPLANATION
from packages.observatory.tests.rounds.conftest import Yard
from packages.observatory.tests.world import TEAM, World
from tests.accessibility import COLOUR_RULES, axe_findings, fitting_findings
from tests.support import ROOT

pytestmark = pytest.mark.slow

WIDE = {"width": 1280, "height": 900}
ZOOMED = {"width": 640, "height": 450}
"""the layout of the wide window at 200 %"""
PHONE_WIDTH = 360
TALLEST = 4000
SETTLE_MS = 30_000
ROUTER = ROOT / "web" / "src" / "league" / "router.ts"
SECTIONED = ("manage",)
"""collections whose second segment names a section and not an item"""
ELSEWHERE = {"home", "api", "assets", "viewer", "frames", "games", "feeds", "embed", "oembed"}
"""segments below which the server has files and other pages"""
SIGNED_OUT = ("/observatory", "/observatory/upload", "/observatory/queue", "/observatory/me", "/sign-in")


@pytest.fixture
def scene(yard: Yard, clock: Any, server: Any) -> LeagueScene:
    server.app.state.settings.public_url = server.url
    return play_league(yard, clock)


@pytest.fixture
def started(scene: LeagueScene, world: World, account: Any) -> list[str]:
    """The addresses to start from: pages that no link of another page leads to."""
    carol, dave = account("carol"), account("dave")
    first, second = world.version(carol, "carols"), world.version(dave, "daves")
    world.season()
    world.season(TEAM, is_default=False)
    explanation = json.dumps(EXPLANATION).encode()
    matches = []
    for repetition, rewards in enumerate(([1, 2, 3, 4], [4, 3, 2, 1])):
        match = world.match("open", "competition", [(first, 2), (second, 2)], repetition=repetition)
        world.play(match, rewards)
        world.app.state.store.put(job_key(world.job_of(match), "explanation.json"), explanation)
        matches.append(match)
    failed = world.match("open", "competition", [(second, 4)], repetition=2)
    world.fail(failed)
    world.match("open", "competition", [(first, 4)], repetition=3)
    coworld = scene.yard.coworld
    session = scene.yard.call("POST", "/v2/coworlds/play/session", {"coworld_id": coworld})["session_id"]
    league = scene.yard.league
    lobby = scene.yard.call("POST", f"/v2/leagues/{league}/lobbies", {"idempotency_key": "one"})["id"]
    return [
        "/observatory",
        "/observatory/leagues",
        f"/observatory/matches/{match}",
        f"/observatory/matches/{failed}",
        f"/observatory/matches/{match}/compare/{matches[0]}",
        f"/observatory/play/{session}",
        f"/observatory/lobbies/{lobby}",
        "/observatory/search?q=a",
        "/observatory/search?q=nothing+like+this",
        f"/observatory/friendlies/{match}",  # none, and the page says so
        "/observatory/nothing/here",
    ]


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport=WIDE, color_scheme="light", reduced_motion="reduce")
    yield context
    context.close()


def sign_in(context: BrowserContext, app: FastAPI, url: str, user_id: str) -> None:
    with app.state.database.read() as session:
        version = session.get_one(User, user_id).session_version
    signer = Signer(app.state.keys.secret, "browser session")
    cookie = signer.sign({"user": user_id, "version": version, "nonce": "n" * 16}, seconds=3600)
    context.add_cookies([{"name": COOKIE, "value": cookie, "url": url, "httpOnly": True, "sameSite": "Lax"}])


def kind_of(address: str) -> str:
    """Return an address without the parts that name an item: pages of one kind have the same."""
    path = address.partition("?")[0].partition("#")[0]
    words = path.strip("/").split("/")
    if len(words) > 2 and words[1] not in SECTIONED:
        words[2] = "*"
    if len(words) > 3 and words[1] in SECTIONED:
        words[3] = "*"
    if len(words) > 4:
        words[4] = "*"
    return "/".join(words)


def collections() -> set[str]:
    """Return the first segments of the addresses that the router knows."""
    return set(re.findall(r'^ +case "(\w+)":', ROUTER.read_text(encoding="utf-8"), re.MULTILINE)) - ELSEWHERE


def settled(page: Page) -> None:
    page.wait_for_selector("main h1", timeout=SETTLE_MS)
    expect(page.locator(".loading")).to_have_count(0)


def findings_of(page: Page, address: str) -> list[str]:
    """Return what is wrong with the open page in any theme and size."""
    found = [f"light: {finding}" for finding in axe_findings(page)]
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    found += [f"dark: {finding}" for finding in axe_findings(page, *COLOUR_RULES)]
    page.set_viewport_size(ZOOMED)  # type: ignore[arg-type]
    found += [f"200 %: {finding}" for finding in axe_findings(page)]
    page.set_viewport_size({"width": PHONE_WIDTH, "height": 640})
    height = min(TALLEST, page.evaluate("document.documentElement.scrollHeight"))
    page.set_viewport_size({"width": PHONE_WIDTH, "height": height})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # charts redraw
    found += [f"360 px: {finding}" for finding in fitting_findings(page)]
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    return [f"{address} {finding}" for finding in found]


def test_the_checks_find_what_is_wrong(context: BrowserContext) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": PHONE_WIDTH, "height": 640})
    page.set_content(
        """<html lang="en"><title>t</title><main><h1>Planted</h1>
        <p style="color: #999; background: #fff">Faint</p><button></button>
        <p style="width: 500px">Wide</p>
        <p style="width: 40px; overflow: hidden; white-space: nowrap">Cut off at its end</p>
        <p style="position: absolute; top: 300px">Below</p>
        <div style="position: absolute; top: 290px; width: 90px; height: 60px; background: #fff"></div></main>"""
    )
    rules = {finding.partition(":")[0] for finding in axe_findings(page)}
    assert {"color-contrast", "button-name"} <= rules
    assert axe_findings(page, "button-name") != [] and axe_findings(page, "document-title") == []
    kinds = {finding.partition(":")[0] for finding in fitting_findings(page)}
    assert kinds == {"scrolls sideways", "cut off", "covered by div."}


def test_every_page_conforms_to_wcag_and_fits_a_phone(
    started: list[str], context: BrowserContext, server: Any, admin: Any
) -> None:
    page = context.new_page()
    wrong: list[str] = []
    for address in SIGNED_OUT:
        page.goto(server.url + address)
        page.wait_for_selector("h1")
        expect(page.locator(".loading")).to_have_count(0)
        wrong += findings_of(page, f"signed out {address}")
    sign_in(context, server.app, server.url, admin.user_id)
    known = {kind_of(address) for address in started}
    waiting = list(started)
    while waiting:
        address = waiting.pop(0)
        page.goto(server.url + address)
        try:
            settled(page)
        except TimeoutError:
            wrong.append(f"{address} has no first heading, or does not finish loading")
            continue
        wrong += findings_of(page, address)
        links = page.locator("a[href^='/observatory/']")
        for link in links.evaluate_all("all => all.map((a) => a.getAttribute('href'))"):
            kind = kind_of(link)
            if kind not in known and kind.split("/")[1] not in ELSEWHERE:
                known.add(kind)
                waiting.append(link)
    assert {word for word in collections() if not any(kind.split("/")[1:2] == [word] for kind in known)} == set()
    assert not wrong, "\n".join(wrong)
