"""The report in a real browser: from disk, without a network, in both themes, with replays that open."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from cogames.ladder import Ladder, PlayedLadder, make_entrants, make_missions, play_ladder
from cogames.ladder.recordings import Recording
from cogames.ladder.report import render_report
from cogames.missions import choose_missions

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROKEN = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy

class Agent(AgentPolicy):
    def step(self, obs):
        raise RuntimeError("<img src=x onerror=alert(1)></script>")

class Broken(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self.policy_env_info)
"""

# Return every visible text whose contrast with its background is below WCAG AA.
FAINT_TEXTS = """() => {
  const channels = (text) => {
    const numbers = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith("color(") ? 1 : 255;
    return { rgb: numbers.slice(0, 3).map((value) => value / scale), alpha: numbers[3] ?? 1 };
  };
  const luminance = ({ rgb }) => {
    const [r, g, b] = rgb.map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faint = [];
  for (const element of document.querySelectorAll("main *")) {
    const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own.length) continue;
    let behind = element;
    while (behind && channels(getComputedStyle(behind).backgroundColor).alpha === 0) behind = behind.parentElement;
    const back = luminance(channels(getComputedStyle(behind ?? document.body).backgroundColor));
    const front = luminance(channels(getComputedStyle(element).color));
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) faint.push(`${own[0].textContent.trim()}: ${ratio.toFixed(2)}`);
  }
  return faint;
}"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayedLadder]:
    """A ladder of three policies, one of which fails with markup in its message."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "broken_policy.py").write_text(BROKEN)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        entrants = make_entrants(["starter", "random", "aligner", "broken_policy.Broken"])
        missions = make_missions(choose_missions(["arena"], cogs=4, max_steps=60))
        yield play_ladder(Ladder(entrants, missions, maps=2), folder / "out", replays=3)


def open_report(browser: "Browser", played: PlayedLadder, scheme: str) -> tuple["Page", list[str]]:
    """Open the report from disk; return the page, and everything that it complains about or requests."""
    page = browser.new_context(color_scheme=scheme).new_page()  # type: ignore[arg-type]
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("dialog", lambda dialog: trouble.append(dialog.message))
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:", "blob:")) else trouble.append(request.url),
    )
    page.goto(played.report.as_uri())
    return page, trouble


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_opens_from_disk_and_plays_its_replays(
    browser: "Browser", played: PlayedLadder, scheme: str
) -> None:
    page, trouble = open_report(browser, played, scheme)
    assert page.locator("h1").inner_text() == f"Ladder: {played.results.standings[0].name} leads"
    rows = page.locator("section").first.locator("tbody tr")
    assert [row.split("\t")[1] for row in rows.all_inner_texts()] == [row.name for row in played.results.standings]
    assert page.locator(".matrix td.share").count() == 4 * 3
    assert page.evaluate(FAINT_TEXTS) == []
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}[scheme]
    buttons = page.locator("button.watch")
    assert buttons.count() == 3
    buttons.nth(1).click()
    frame = page.frame_locator("#frame")
    frame.locator("[data-testid=hud] .hud-chip").first.wait_for(state="attached")
    assert frame.locator("[data-testid=error]").count() == 0
    assert played.results.replays[1].caption in page.locator("#playing").inner_text()
    page.locator("#close").click()
    assert not page.locator("#player").is_visible()
    assert trouble == []


@pytest.mark.slow
def test_an_address_opens_a_replay(browser: "Browser", played: PlayedLadder) -> None:
    page = browser.new_page()
    page.goto(f"{played.report.as_uri()}#replay={played.results.replays[0].game}")
    page.frame_locator("#frame").locator("[data-testid=hud] .hud-chip").first.wait_for(state="attached")


def test_messages_of_policies_are_text(played: PlayedLadder) -> None:
    text = played.report.read_text()
    assert "&lt;img src=x onerror=alert(1)&gt;" in text and "<img" not in text
    assert "Content-Security-Policy" in text


def test_replays_that_do_not_fit_stay_beside_the_report(played: PlayedLadder) -> None:
    recordings = [Recording(row, played.folder / row.file) for row in played.results.replays]
    assert all(recording.path.is_file() for recording in recordings)
    size = recordings[0].path.stat().st_size
    one = render_report(played.results, recordings, max_embedded_bytes=size)
    assert len(re.findall(r'id="replay-0', one)) == 1
    assert f"cogames replay {recordings[1].row.file}" in one
    none = render_report(played.results, recordings, max_embedded_bytes=0)
    assert 'id="viewer"' not in none and len(none) < 50_000
