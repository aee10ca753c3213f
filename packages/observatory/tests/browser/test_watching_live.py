"""Watch a match while it is played: a visitor without an account, at a desk and on a phone, on a real server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from packages.observatory.tests.browser.running import RunningServer
from packages.observatory.tests.world import bundle

pytestmark = pytest.mark.slow

STEPS = 150
SEASON = f"""
name: slow
display_name: Slow games
summary: A match long enough to be watched
tournament_type: freeplay
is_default: true
freeplay:
  game: {{mission: arena, num_agents: 2, max_steps: {STEPS}}}
  qualifying_matches: 1
  qualifying_threshold: -1000
  splits: [[1, 1]]
  repetitions: 1
"""
# It waits until a page has seen the match, which takes long on a busy machine, and is quick from then on.
POLICY = """
import time
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Slow(AgentPolicy):
    steps = 0
    def step(self, obs):
        self.steps += 1
        time.sleep(0.15 if self.steps < 130 else 0)
        return Action(name=["move_north", "move_east", "move_south", "move_west"][self.steps % 4])

class Mine(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Slow(self._policy_env_info)
"""
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    server = RunningServer(tmp_path_factory.mktemp("league"))
    try:
        server.make_season(SEASON)
        yield server
    finally:
        server.close()


def watch(page: Page) -> FrameLocator:
    """Click the link of the running match in the queue; its viewer."""
    page.locator("a.watch-link").first.click(timeout=120_000)
    page.wait_for_url("**/observatory/matches/*")
    return page.frame_locator(".replay iframe")


def tick(viewer: FrameLocator) -> int:
    return int(viewer.locator("[data-testid=tick]").input_value())


def is_wider_than_its_window(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


def test_a_visitor_watches_a_running_match_from_the_queue_until_its_replay(
    league: RunningServer, open_page: Any
) -> None:
    league.upload("slow", season="slow", content=bundle({"my_policy.py": POLICY}))
    pages = [open_page(f"{league.url}/observatory/queue", **shape) for shape in ({}, PHONE)]
    viewers = [watch(page) for page in pages]
    for page, viewer in zip(pages, viewers, strict=True):
        expect(viewer.locator("[data-testid=live]")).to_have_text("Live", timeout=60_000)
        before = tick(viewer)
        expect(viewer.locator("[data-testid=tick]")).not_to_have_value(str(before))
        expect(page.locator("h2", has_text="Live")).to_be_visible()
        assert not is_wider_than_its_window(page)
    # Going back in what exists, and to the newest tick again.
    viewer = viewers[0]
    viewer.locator("[data-testid=from-start]").click()
    expect(viewer.locator("[data-testid=live]")).to_have_text(re.compile(r"Go live \(\d+ behind\)"))
    viewer.locator("[data-testid=live]").click()
    expect(viewer.locator("[data-testid=live]")).to_have_text("Live")
    for page, viewer in zip(pages, viewers, strict=True):
        expect(viewer.locator(".notice")).to_have_text(
            re.compile("The match is over. This is its replay"), timeout=120_000
        )
        expect(viewer.locator("[data-testid=live]")).to_be_hidden()
        expect(viewer.locator("[data-testid=strip]")).to_have_attribute("aria-valuemax", str(STEPS))
        expect(page.locator("h2", has_text="Replay")).to_be_visible()
    # A link to watch a match that is over shows its replay, which plays.
    match = pages[0].url.rpartition("/")[2]
    late = open_page(f"{league.url}/observatory/viewer/?watch=/observatory/live/matches/{match}")
    strip = late.locator("[data-testid=strip]")
    expect(strip).to_have_attribute("aria-valuemax", str(STEPS))
    expect(strip).not_to_have_attribute("aria-valuenow", "0")
    expect(late.locator("[data-testid=live]")).to_be_hidden()
