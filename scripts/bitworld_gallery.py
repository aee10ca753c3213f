"""Take the screenshots of BitWorld's pages in `docs/gallery/`: a game of scripted players, live and as a replay.

usage: python scripts/bitworld_gallery.py
"""

import asyncio
import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright

from bitworld.games.among_them import AmongThem
from bitworld.players.among_them.games import play_game
from bitworld.players.client import play_many
from bitworld.replays import ReplayGame, Story, read_replay
from bitworld.server import GameServer, Match, RealTime, ReplayRoom
from workspace import ROOT, fail, say

GALLERY = ROOT / "docs" / "gallery"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDE: Any = {"viewport": {"width": 1120, "height": 700}}
PHONE: Any = {"viewport": {"width": 390, "height": 780}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
SPEED = 6
BOTS = 6
LINES = 3
"""chat messages to wait for in a meeting"""


async def open_page(browser: Browser, address: str, **settings: Any) -> Page:
    page = await browser.new_page(**settings)
    await page.goto(address)
    await page.wait_for_selector("[data-testid=status][data-state=open]", state="attached")
    return page


async def take(page: Page, name: str) -> None:
    await page.wait_for_timeout(800)
    picture = Image.open(io.BytesIO(await page.screenshot()))
    picture.save(GALLERY / f"bitworld-{name}.webp", quality=82, method=6)
    await page.close()
    say(f"gallery: bitworld-{name}")


async def take_live(browser: Browser) -> None:
    """Take the pages of players in a meeting, and the map before it."""
    match = Match(lambda: AmongThem({"minPlayers": BOTS + 2, "seed": 5}))
    async with GameServer(match, clock=RealTime(SPEED)) as server:
        running = asyncio.ensure_future(server.run())
        ann = await open_page(browser, f"{server.address}/client/player?name=Ann", color_scheme="dark", **WIDE)
        bob = await open_page(browser, f"{server.address}/client/player?name=Bob", color_scheme="light", **PHONE)
        bots = asyncio.ensure_future(play_many("among_them", server.address, BOTS))
        while match.game.tick < 500:
            await asyncio.sleep(0.05)
        spectator = await open_page(browser, f"{server.address}/client/global", color_scheme="light", **WIDE)
        await take(spectator, "global-light")
        while not (isinstance(match.game, AmongThem) and len(match.game.chat_lines) >= LINES):
            await asyncio.sleep(0.05)
        await take(ann, "player-dark")
        await take(bob, "player-phone")
        for task in (running, bots):
            task.cancel()
        await asyncio.gather(running, bots, return_exceptions=True)


async def take_replay(browser: Browser, path: Path) -> None:
    """Take the page of a replay, in a meeting."""
    replay = read_replay(path.read_bytes())
    story = Story(ReplayGame(replay))
    story.read()
    votes = [listed.position for listed in story.events if listed.event.kind == "vote"]
    room = ReplayRoom(ReplayGame(replay))
    room.press("P")
    room.playback.seek(votes[len(votes) // 2])
    async with GameServer(room) as server:
        running = asyncio.ensure_future(server.run())
        page = await open_page(browser, f"{server.address}/client/replay", color_scheme="dark", **WIDE)
        await page.wait_for_selector(".event-win")
        await take(page, "replay-dark")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def main() -> None:
    program = shutil.which("chromium") or fail("gallery: no Chromium is installed")
    GALLERY.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.bitreplay"
        play_game(3, replay_path=path)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=program, args=FLAGS)
            await take_replay(browser, path)
            await take_live(browser)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
