"""Take the screenshots of the league's pages in `docs/gallery/`, from a demo that has played for a while.

usage: python scripts/league_gallery.py [--data FOLDER] [--played N] [--rounds N] [--only PAGE ...]

Starts `observatory demo` in the folder (by default `.league`), waits until its first season has played some matches
(by default 30) and a league some rounds (3), and captures every page and its states (empty, loading, error, signed
out): on a desktop in both themes, and on a phone.
"""

import argparse
import io
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from cogames.policy.bundles import create_bundle
from gallery_states import STATES, State
from workspace import ROOT, fail, say

GALLERY = ROOT / "docs" / "gallery"
FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-background-networking"]
DESK = {"viewport": {"width": 1280, "height": 860}}
PHONE = {"viewport": {"width": 390, "height": 780}, "device_scale_factor": 1.5, "has_touch": True, "is_mobile": True}
FRIENDLIES = "/observatory/api/friendlies"
MAX_PIXELS = 1300
"""maximum height of a screenshot; longer pages are cut"""


@contextmanager
def demo(folder: Path) -> Iterator[tuple[str, str]]:
    """Run a demo; yield its address, and the link that signs its administrator in."""
    command = [sys.executable, "-m", "observatory", "demo", "--data", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        entrance = None
        while entrance is None:
            line = process.stdout.readline() or fail("gallery: the demo did not start")
            entrance = re.search(r"(http\S+)/enter\?\S+", line)
        try:
            yield entrance[1], entrance[0]
        finally:
            process.send_signal(signal.SIGTERM)


Theme = Literal["light", "dark"]
DEVICES: tuple[tuple[Theme, Any, str], ...] = (
    ("light", DESK, "light"),
    ("dark", DESK, "dark"),
    ("dark", PHONE, "phone"),
)


def wait_for_matches(http: httpx.Client, count: int) -> None:
    deadline = time.monotonic() + 1800
    while (played := http.get("/observatory/api/seasons/demo").json()["matches"]) < count:
        if time.monotonic() > deadline:
            fail(f"gallery: only {played} of {count} matches were played in half an hour")
        time.sleep(2)


def wait_for_rounds(http: httpx.Client, count: int) -> None:
    """Wait until a league of the demo has played some rounds, and one of them has ranked its players."""
    deadline = time.monotonic() + 1800
    while not any(card["rounds"] >= count and card["leader"] for card in http.get("/observatory/api/leagues").json()):
        if time.monotonic() > deadline:
            fail(f"gallery: no league played {count} rounds in half an hour")
        time.sleep(2)


def pages(http: httpx.Client) -> dict[str, str]:
    """Return the address of every page by the name of its screenshot."""
    leader = http.get("/observatory/api/seasons/demo/table").json()["rows"][0]["policy"]["id"]
    author = http.get(f"/observatory/api/policies/{leader}").json()["policy"]["author_id"]
    season = "/observatory/api/seasons/demo/matches"
    played = http.get(season, params={"status": "completed"}).json()["rows"]
    shared = [row for row in played if row["has_replay"] and len(row["players"]) > 1]
    match, other = [row for row in shared if any(player["policy"]["id"] == leader for player in row["players"])][:2]
    failed = http.get(season, params={"status": "failed"}).json()["rows"]
    addresses = {
        "front": "/observatory",
        "leaderboard": "/observatory/seasons/demo",
        "stages": "/observatory/seasons/demo-teams/stages",
        "teams": "/observatory/seasons/demo-teams/teams?pool=team-round-1",
        "matches": "/observatory/seasons/demo/matches",
        "rules": "/observatory/seasons/demo/about",
        "match": f"/observatory/matches/{match['id']}",
        "compare": f"/observatory/matches/{match['id']}/compare/{other['id']}",
        "policy": f"/observatory/policies/{leader}",
        "upload": "/observatory/upload",
        "queue": "/observatory/queue",
        "me": "/observatory/me",
        "notices": "/observatory/me/notices",
        "person": f"/observatory/people/{author}",
        "manage": "/observatory/manage",
        "edit-season": "/observatory/manage/seasons/demo",
        "new-season": "/observatory/manage/seasons/new",
        "invitations": "/observatory/manage/invitations",
        "users": "/observatory/manage/users",
        "audit": "/observatory/manage/audit",
        "sign-in": "/sign-in",
    }
    addresses |= game_pages(http) | league_pages(http)
    return addresses | ({"failed-match": f"/observatory/matches/{failed[0]['id']}"} if failed else {})


def game_pages(http: httpx.Client) -> dict[str, str]:
    """Return the pages of games and episodes, once a league of the demo has played an episode."""
    addresses = {"games": "/observatory/coworlds", "search": "/observatory/search?q=a"}
    for card in http.get("/observatory/api/coworlds").json():
        page = http.get(f"/observatory/api/coworlds/{card['id']}").json()
        watched = next((episode for episode in page["episodes"] if episode["has_replay"]), None)
        if watched is not None:
            addresses["game"] = f"/observatory/coworlds/{card['name']}"
            addresses["episode"] = f"/observatory/episodes/{watched['id']}"
            break
    return addresses


def league_pages(http: httpx.Client) -> dict[str, str]:
    """Return the addresses of the pages of the league that has played most rounds."""
    league = max(http.get("/observatory/api/leagues").json(), key=lambda card: (bool(card["leader"]), card["rounds"]))
    rounds = http.get(f"/observatory/api/leagues/{league['id']}/rounds", params={"status": "completed"}).json()["rows"]
    played = max(rounds, key=lambda row: row["kind"] == "ladder")
    return {
        "leagues": "/observatory/leagues",
        "league": f"/observatory/leagues/{league['id']}",
        "league-rules": f"/observatory/leagues/{league['id']}/rules",
        "league-manage": f"/observatory/leagues/{league['id']}/manage",
        "division": f"/observatory/divisions/{played['division']['id']}",
        "round": f"/observatory/rounds/{played['id']}",
        "player": f"/observatory/players/{league['leader']['player']['id']}",
    }


def running_match(http: httpx.Client) -> str:
    """Wait until a match can be watched, and return the address of its page."""
    deadline = time.monotonic() + 600
    while True:
        live = [line["url"] for line in http.get("/observatory/api/live").json() if "/matches/" in line["url"]]
        if live:
            return str(live[-1])  # the one that began last
        if time.monotonic() > deadline:
            fail("gallery: no match was played in ten minutes")
        time.sleep(0.2)


@contextmanager
def hosted_pages(playwright: Playwright, url: str, signed_in: Any, http: httpx.Client) -> Iterator[dict[str, str]]:
    """Open a game for people, a lobby and a challenge; yield the addresses of their pages, and end all three."""
    api = playwright.request.new_context(base_url=url, storage_state=signed_in)
    headers = {"X-CSRF-Token": api.get("/observatory/api/me").json()["csrf"]}

    def call(path: str, **body: str) -> Any:
        answer = api.post(path, data=body, headers=headers)
        return answer.json() if answer.ok else fail(f"gallery: {path} answered {answer.status}: {answer.text()}")

    league = max(http.get("/observatory/api/leagues").json(), key=lambda card: card["rounds"])
    session = call("/v2/coworlds/play/session", coworld_id=league["game"]["coworld_id"])["session_id"]
    lobby = call(f"/v2/leagues/{league['id']}/lobbies", idempotency_key=f"gallery {time.time()}")["id"]
    leader = http.get("/observatory/api/seasons/demo/table").json()["rows"][0]["policy"]["id"]
    options = api.get(f"{FRIENDLIES}/options/{leader}").json()
    addresses: dict[str, str] = {}
    try:
        addresses = {"play": f"/observatory/play/{session}", "lobby": f"/observatory/lobbies/{lobby}"}
        if options["policies"]:
            mine = options["policies"][0]["id"]
            sent = call(FRIENDLIES, policy_version_id=mine, opponent_version_id=leader, mission="season:demo")
            addresses["friendly"] = f"/observatory/friendlies/{sent['id']}"
        yield addresses
    finally:
        call(f"/v2/coworlds/play/session/{session}/end")
        call(f"/v2/lobbies/{lobby}/cancel")
        if "friendly" in addresses:
            call(f"{FRIENDLIES}/{sent['id']}/withdraw")
        api.dispose()


def upload(page: Page) -> None:
    """Submit a policy on the page, and wait until it appears in the season."""
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "my-starter.zip"
        create_bundle("class=starter", bundle)
        page.set_input_files("#bundle", bundle)
        page.select_option("#season", "demo")
        page.click("button:has-text('Upload')")
        page.wait_for_selector("[data-testid=following] .entry")


def ready(page: Page, name: str) -> None:
    page.wait_for_selector("h1")
    page.wait_for_selector(".loading", state="detached")
    if name == "upload":
        upload(page)
    if name == "match":
        page.frame_locator(".replay iframe").locator(".hud-chip").first.wait_for()
        page.wait_for_timeout(1500)
    if name == "live":
        page.frame_locator(".replay iframe").locator(".hud-chip").first.wait_for()
        page.wait_for_timeout(1500)
    page.wait_for_timeout(500)


def sign_in(browser: Browser, entrance: str) -> Any:
    """Return the cookies of the demo's administrator; the link works once."""
    with browser.new_context() as context:
        context.new_page().goto(entrance)
        return context.storage_state()


def take(
    browser: Browser,
    name: str,
    address: str,
    signed_in: Any,
    *,
    theme: Theme,
    device: Any,
    suffix: str,
) -> None:
    """Save the screenshot of a page that has loaded."""
    state = None if name == "sign-in" else signed_in
    with browser.new_context(color_scheme=theme, storage_state=state, **device) as context:
        page = context.new_page()
        page.goto(address)
        ready(page, name)
        save(page, name, device, suffix)


def take_state(browser: Browser, name: str, state: State, url: str, signed_in: Any) -> None:
    """Save the screenshots of a page in a state such as loading."""
    cookies = signed_in if state.is_signed_in else None
    for theme, device, suffix in DEVICES:
        with browser.new_context(color_scheme=theme, storage_state=cookies, **device) as context:
            page = context.new_page()
            state.prepare(page)
            page.goto(url + state.address)
            page.wait_for_selector(state.shown)
            page.wait_for_timeout(1500)  # a lead match or a frame
            save(page, name, device, suffix)


def save(page: Page, name: str, device: Any, suffix: str) -> None:
    height = min(page.evaluate("document.documentElement.scrollHeight"), MAX_PIXELS)
    clip: Any = {"x": 0, "y": 0, "width": device["viewport"]["width"], "height": max(height, 480)}
    picture = Image.open(io.BytesIO(page.screenshot(full_page=True, clip=clip)))
    path = GALLERY / f"league-{name}-{suffix}.webp"
    picture.convert("RGB").save(path, "WEBP", quality=78, method=6)
    say(f"gallery: {path.stem}, {path.stat().st_size // 1024} KB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT / ".league")
    parser.add_argument("--played", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="pages to take; all by default")
    arguments = parser.parse_args()
    program = shutil.which("chromium") or fail("gallery: no Chromium is installed")
    GALLERY.mkdir(parents=True, exist_ok=True)
    with (
        demo(arguments.data) as (url, entrance),
        httpx.Client(base_url=url, trust_env=False, timeout=60) as http,
        sync_playwright() as playwright,
    ):
        wait_for_matches(http, arguments.played)
        wait_for_rounds(http, arguments.rounds)
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        signed_in = sign_in(browser, entrance)
        with hosted_pages(playwright, url, signed_in, http) as hosted:
            for name, path in (pages(http) | hosted).items():
                if arguments.only and name not in arguments.only:
                    continue
                for theme, device, suffix in DEVICES:
                    take(browser, name, url + path, signed_in, theme=theme, device=device, suffix=suffix)
        for name, state in STATES.items():
            if not arguments.only or name in arguments.only:
                take_state(browser, name, state, url, signed_in)
        for theme, device, suffix in DEVICES if not arguments.only or "live" in arguments.only else ():
            address = url + running_match(http)
            take(browser, "live", address, signed_in, theme=theme, device=device, suffix=suffix)
        browser.close()


if __name__ == "__main__":
    main()
