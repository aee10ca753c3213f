"""Take the pictures of the viewer that `docs/gallery/` holds: real episodes, both themes, a phone.

usage: python scripts/gallery.py
"""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from cogames import missions
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
    look = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark", **settings}
    page = browser.new_page(**look)
    with serve(replays[0], beside=replays[1] if len(replays) > 1 else None) as server:
        page.goto(f"{server.address}#{place}")
        page.wait_for_selector(".hud-chip")
        act(page)
        page.wait_for_timeout(2500)
        page.screenshot(path=GALLERY / f"{name}.jpg", type="jpeg", quality=80)
    page.close()
    say(f"gallery: {name}")


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
        browser.close()


if __name__ == "__main__":
    main()
