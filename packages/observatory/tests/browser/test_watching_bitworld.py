"""Watch a match of Among Them while a season plays it: a visitor without an account, at a desk and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Frame, Page, expect

from packages.observatory.tests.browser.running import RunningServer
from packages.observatory.tests.browser.test_watching_live import PHONE, is_wider_than_its_window
from packages.observatory.tests.world import bundle
from tests.accessibility import axe_findings

pytestmark = pytest.mark.slow

TICKS = 200
SEASON = f"""
name: sus
display_name: Among Them
summary: Four players, one imposter
tournament_type: freeplay
is_default: true
freeplay:
  game: {{game_engine: bitworld, mission: among_them, num_agents: 4, max_steps: {TICKS}}}
  live: {{hide_secrets: true}}
  qualifying_matches: 1
  qualifying_threshold: -1000
  splits: [[2, 2]]
  repetitions: 1
"""
# It waits until a page has seen the match, which takes long on a busy machine, and is quick from then on.
POLICY = """
import time
from mettagrid.policy.policy import MultiAgentPolicy

class Mine(MultiAgentPolicy):
    ticks = 0
    def agent_policy(self, agent_id):
        raise NotImplementedError
    def step_batch(self, raw_observations, raw_actions):
        self.ticks += 1
        time.sleep(0.15 if self.ticks < 130 else 0)
        raw_actions[...] = 1 + self.ticks // 10 % 4
"""


@pytest.fixture
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    server = RunningServer(tmp_path_factory.mktemp("league"))
    try:
        server.make_season(SEASON)
        yield server
    finally:
        server.close()


def watch(page: Page) -> Frame:
    """Click the link of the running match; its viewer."""
    page.locator("a.watch-link").first.click(timeout=120_000)
    page.wait_for_url("**/observatory/matches/*")
    element = page.locator(".replay iframe").element_handle()
    frame = element.content_frame()
    assert frame is not None
    return frame


def tick(viewer: Frame) -> int:
    return int(viewer.locator("[data-testid=seek]").input_value())


def test_a_visitor_watches_a_match_of_among_them_from_queue_season_and_front_page_until_its_replay(
    league: RunningServer, open_page: Any
) -> None:
    league.upload("walker", season="sus", content=bundle({"my_policy.py": POLICY}))
    pages = [
        open_page(f"{league.url}/observatory/queue"),
        open_page(f"{league.url}/observatory/seasons/sus", **PHONE, color_scheme="light"),
    ]
    front = open_page(f"{league.url}/observatory")
    viewers = [watch(page) for page in pages]
    for page, viewer in zip(pages, viewers, strict=True):
        expect(viewer.locator("h1")).to_have_text("Among Them", timeout=60_000)
        expect(viewer.locator(".bar-detail")).to_have_text("Live, without secrets")
        expect(viewer.locator("[data-testid=live]")).to_have_text("Live")
        before = tick(viewer)
        expect(viewer.locator("[data-testid=seek]")).not_to_have_value(str(before))
        expect(page.locator("h2", has_text="Live")).to_be_visible()
        assert not is_wider_than_its_window(page)
        assert axe_findings(viewer) == []
    small = front.frame_locator("iframe[title*=match]")
    expect(small.locator("[data-testid=map]")).to_be_visible()
    expect(small.locator(".transport")).to_have_count(0)
    # Back in what was played, by button and by key, and to the newest tick again.
    viewer = viewers[0]
    viewer.locator("[data-testid=from-start]").click()
    expect(viewer.locator("[data-testid=live]")).to_have_text(re.compile(r"Go live \(\d+ behind\)"))
    viewer.locator("[data-testid=map]").press("End")
    expect(viewer.locator("[data-testid=live]")).to_have_text("Live")
    viewer.locator("[data-testid=play]").click()
    paused = tick(viewer)
    for page, viewer in zip(pages, viewers, strict=True):
        expect(viewer.locator(".bar-detail")).to_have_text("Replay", timeout=120_000)
        expect(viewer.locator("[data-testid=live]")).to_be_hidden()
        expect(viewer.locator("[data-testid=seek]")).to_have_attribute("max", str(TICKS))
        expect(page.locator("h2", has_text="Replay")).to_be_visible()
    assert tick(viewers[0]) == paused
    # A link to a moment opens the replay there, also on another site.
    match = pages[0].url.rpartition("/")[2]
    late = open_page(f"{league.url}/observatory/embed/matches/{match}?tick=50", reduced_motion="reduce")
    expect(late.locator("[data-testid=seek]")).to_have_value("50")
    expect(late.locator("[data-testid=notice]")).to_be_hidden()
