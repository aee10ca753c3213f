"""An author finds out why matches failed and were lost, in a real browser, on a real server with a real worker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from cogames.league.game import GAME
from packages.observatory.tests.browser.checks import CONTRAST, STRUCTURE
from packages.observatory.tests.browser.running import PASSWORD, SEASON, RunningServer, quiet_bundle, wait_for
from packages.observatory.tests.world import bundle

pytestmark = pytest.mark.slow

PHONE = {"viewport": {"width": 360, "height": 720}, "has_touch": True, "is_mobile": True}
STEPS = 60
CRASHES = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Broken(AgentPolicy):
    steps = 0
    def step(self, obs):
        self.steps += 1
        if self.steps == 8:
            raise ValueError("lost the way")
        return Action(name="noop")

class Mine(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Broken(self._policy_env_info)
"""


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server, and a season in which a good policy of another author plays."""
    folder = tmp_path_factory.mktemp("losses")
    server = RunningServer(folder)
    try:
        server.make_season(SEASON.replace("max_steps: 20", f"max_steps: {STEPS}"))
        GAME.pack_policy("starter", folder / "starter.zip")
        server.upload("starter", content=(folder / "starter.zip").read_bytes())
        yield server
    finally:
        server.close()


@pytest.fixture(scope="module")
def author(league: RunningServer, browser: Browser) -> str:
    """A person whose policies `crashing` and `still` have played; the name to sign in with."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(league.invitation())
    page.fill("#email", "author")
    page.fill("#password", PASSWORD)
    page.click("button")
    page.wait_for_url("**/observatory/home")
    for name, data in (("crashing", bundle({"my_policy.py": CRASHES})), ("still", quiet_bundle())):
        page.goto(f"{league.url}/observatory/upload?season=short")
        page.set_input_files("#bundle", {"name": f"{name}.zip", "mimeType": "application/zip", "buffer": data})
        expect(page.locator("#name")).to_have_value(name)
        page.click("button:has-text('Upload')")
        expect(page.locator("[data-testid=following] .entry")).to_contain_text(name, timeout=60_000)
    context.close()
    wait_for(lambda: matches_of(league, "crashing", "failed"), seconds=300)
    wait_for(lambda: matches_of(league, "still", "completed", with_others=True), seconds=300)
    return "author"


def matches_of(league: RunningServer, name: str, status: str, *, with_others: bool = False) -> list[str]:
    rows = [row for row in league.matches(status=status) if name in str(row["players"])]
    return [row["id"] for row in rows if not with_others or len(row["players"]) > 1]


def part(page: Page, title: str) -> Locator:
    """The section of a page with this heading."""
    return page.locator("section", has=page.get_by_role("heading", name=title, exact=True))


def check(page: Page) -> None:
    """Nothing may be cut off, unreadable or nameless."""
    expect(page.locator(".loading")).to_have_count(0)
    assert page.evaluate(STRUCTURE) + page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("width", ["desktop", "phone"])
def test_an_author_finds_why_a_match_failed_and_why_one_was_lost_and_compares(
    league: RunningServer, author: str, open_page: Any, width: str
) -> None:
    page = open_page(f"{league.url}/observatory/me", **(PHONE if width == "phone" else {}))
    page.click("main a:has-text('Sign in')")
    page.fill("#email", author)
    page.fill("#password", PASSWORD)
    page.click("button")
    page.wait_for_url("**/observatory/me")

    # The failed match: from the policy to the cause, its place in the log and its step.
    page.locator("main a", has_text="crashing").first.click()
    page.select_option("#policy-match-result", "at_fault")
    part(page, "Matches").locator("td a", has_text="failed").first.click()
    cause = part(page, "What decided it").locator(".problem")
    expect(cause).to_contain_text("crashing:v1: crashed at step 7")
    expect(cause.locator("pre")).to_contain_text("ValueError: lost the way")
    check(page)
    replay = page.frame_locator(".replay iframe")
    expect(replay.locator(".last-tick")).to_have_text(f"/ {STEPS}", timeout=60_000)
    expect(replay.locator("[data-testid=tick]")).to_have_value("7")

    # The lost match: what happened, and a jump to the step.
    page.goto(f"{league.url}/observatory/matches/{matches_of(league, 'still', 'completed', with_others=True)[0]}")
    points = page.locator(".moments")
    nothing = points.locator("a", has_text="Every agent of still:v1 does nothing from step 1 to the end")
    expect(nothing).to_be_visible()
    expect(page.locator("h3", has_text="did differently")).to_be_visible()
    expect(page.locator("tr", has_text="still:v1").locator("td").first).to_have_text("100 %")
    assert page.locator(".timeline-chart svg[role=img]").count() >= 1
    check(page)
    expect(replay.locator(".last-tick")).to_have_text(f"/ {STEPS}", timeout=60_000)
    other = points.locator("a").filter(has_not_text="still").last
    step = re.search(r"tick=(\d+)", other.get_attribute("href") or "")
    assert step is not None
    other.click()
    expect(replay.locator("[data-testid=tick]")).to_have_value(step[1])
    nothing.click()
    expect(replay.locator("[data-testid=tick]")).to_have_value("1")

    # Another match of the policy beside it.
    page.click("a:has-text('Compare with')")
    page.wait_for_url("**/compare")
    expect(page.locator("#compare-policy")).to_have_value(re.compile("."))
    choice = page.locator("#compare-other option").nth(1)
    expect(choice).to_have_text(re.compile("score|failed"))
    page.select_option("#compare-other", index=1)
    page.wait_for_url(re.compile(r"/compare/[0-9a-f-]{36}$"))
    expect(page.locator("tr", has_text="Idle steps").locator("td").first).to_have_text("100 %")
    expect(page.locator("a", has_text="Watch both replays side by side")).to_be_visible()
    check(page)
    page.reload()
    expect(page.locator("tr", has_text="Idle steps").locator("td").nth(1)).to_have_text("100 %")

    # The page of the policy: its matches by score, its partners, and a diagnosis that is queued.
    page.locator("main a.policy", has_text="still").first.click()
    expect(page.locator("h2", has_text="Partners")).to_be_visible()
    page.select_option("#policy-match-sort", "worst")
    expect(page.locator("[data-act='Show more']")).to_have_count(1)
    if width == "desktop":
        page.click("button:has-text('Diagnose on the server')")
    expect(part(page, "Diagnosis")).to_contain_text("of 18 episodes played")
    check(page)


def test_a_visitor_sees_the_cause_of_a_failure_but_not_the_log(
    league: RunningServer, author: str, open_page: Any
) -> None:
    [match, *_] = [row["id"] for row in league.matches(status="failed")]
    page = open_page(f"{league.url}/observatory/matches/{match}", color_scheme="light")
    cause = page.locator(".problem", has_text="crashed at step 7")
    expect(cause).to_be_visible()
    assert cause.locator("pre").count() == 0 and page.locator("text=Logs of your policies").count() <= 1
    check(page)
