"""Take the screenshots of the viewer in `docs/gallery/`: real episodes, both themes, a phone.

usage: python scripts/gallery.py
"""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from cogames import missions
from mettagrid.live import Clock, LiveGame, LiveServer
from mettagrid.policy.loader import discover_and_register_policies, resolve_policy_class_path
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodePlan, play_episode
from mettagrid.viewer import serve
from workspace import ROOT, fail, say

GALLERY = ROOT / "docs" / "gallery"
FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-background-networking"]


def play(mission: str, policies: list[str], path: Path) -> None:
    env = missions.load(mission, seed=42)
    env.game.max_steps = 1000
    specs = [PolicySpec(class_path=resolve_policy_class_path(name)) for name in policies]
    seats = [agent % len(policies) for agent in range(env.game.num_agents)]
    play_episode(EpisodePlan(env, specs, seats, seed=42, policy_names=policies, replay_path=path))


def take(
    browser: Browser, name: str, replays: list[Path], place: str, act: Callable[[Page], None], **settings: Any
) -> None:
    options = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark", **settings}
    page = browser.new_page(**options)
    with serve(replays[0], beside=replays[1] if len(replays) > 1 else None) as server:
        page.goto(f"{server.address}#{place}")
        page.wait_for_selector(".hud-chip")
        act(page)
        page.wait_for_timeout(2500)
        page.screenshot(path=GALLERY / f"{name}.jpg", type="jpeg", quality=80)
    page.close()
    say(f"gallery: {name}")


def take_live(browser: Browser, name: str, act: Callable[[Page], None], **settings: Any) -> None:
    """Take a screenshot of a live game in which a user drives agent 2."""
    env = missions.load("arena", seed=42)
    spec = PolicySpec(class_path=resolve_policy_class_path("starter"))
    plan = EpisodePlan(env, [spec], [0] * env.game.num_agents, seed=42, policy_names=["starter"])
    options = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark", **settings}
    page = browser.new_page(**options)
    clock = Clock(paused=True, steps_per_second=100)
    with LiveGame(plan, title="arena", clock=clock) as game, LiveServer(game) as server:
        game.start()
        clock.step(150)
        while game.lines[0].renderer.feed.tick < 150:
            page.wait_for_timeout(50)
        clock.set_speed(8)
        page.goto(server.address)
        page.wait_for_selector(".hud-chip")
        page.locator(".row-button", has_text="Agent 2").click()
        page.click(".panel [data-agent='2'][aria-label^='Drive']")
        page.wait_for_selector(".live-drivers [data-driver=you]")
        page.keyboard.press(" ")
        page.wait_for_timeout(1500)
        act(page)
        page.screenshot(path=GALLERY / f"{name}.jpg", type="jpeg", quality=80)
    page.close()
    say(f"gallery: {name}")


def send_away(page: Page) -> None:
    """Click somewhere on the board, so that the cog starts walking."""
    box = page.locator(".board").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.66, box["y"] + box["height"] * 0.36)
    page.wait_for_timeout(600)


def what_if(page: Page) -> None:
    page.fill("[data-testid=tick]", "120")
    page.press("[data-testid=tick]", "Enter")
    page.click("[data-testid=branch]")
    page.wait_for_selector("[data-testid=lines]:visible")
    page.wait_for_timeout(1500)
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
        page.wait_for_timeout(300)
    page.wait_for_timeout(1000)


def keys(*names: str) -> Callable[[Page], None]:
    def press(page: Page) -> None:
        page.wait_for_timeout(800)
        for name in names:
            page.keyboard.press(name)
            page.wait_for_timeout(120)

    return press


def show_heat(page: Page) -> None:
    page.click("[data-value=visits]")


def main() -> None:
    program = shutil.which("chromium") or fail("gallery: no Chromium is installed")
    discover_and_register_policies("cogames.policy")
    GALLERY.mkdir(parents=True, exist_ok=True)
    phone = {"viewport": {"width": 390, "height": 780}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        machina, four, left, right = (
            Path(folder) / f"{name}.cogreplay" for name in ("machina", "four", "starter", "mixed")
        )
        play("machina_1", ["starter"], machina)
        play("four_score", ["starter"], four)
        play("arena", ["starter"], left)
        play("arena", ["starter", "random"], right)
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        agent = keys(".", ".", "Enter", "e", "l")
        take(browser, "agent-dark", [machina], "tick=420&panel=agent", agent)
        take(browser, "observation-light", [machina], "tick=420&panel=sight", agent, color_scheme="light")
        take(browser, "charts-light", [four], "tick=700&panel=charts", keys(), color_scheme="light")
        take(browser, "heat-dark", [machina], "tick=900&panel=heat", show_heat)
        take(browser, "compare-dark", [left, right], "tick=160&panel=compare", keys())
        take(browser, "colour-blind-light", [four], "tick=900&panel=score", keys("y"), color_scheme="light")
        take(browser, "phone-dark", [left], "tick=420&panel=agent", keys(".", "Enter"), **phone)
        take_live(browser, "live-dark", send_away)
        take_live(browser, "live-light", send_away, color_scheme="light")
        take_live(browser, "live-branch-light", what_if, color_scheme="light")
        take_live(browser, "live-phone-dark", send_away, **phone)
        browser.close()


if __name__ == "__main__":
    main()
