"""Measure the speed of a live game with its page open, in a real browser without a graphics card.

usage: live.py [--mission machina_1] [--seconds 10] [--keys 60] [--first] [--record]

  steps   steps per second of the game, played by starter policies at full speed: without a viewer, and with the
          page open
  rate    steps per second that the page receives and shows
  keys    milliseconds from a key press to the frame with its tick, while driving a cog
"""

import argparse
import statistics
import sys
import time
from typing import Any

from playwright.sync_api import Page

from browser import measured_page
from cogames import missions
from mettagrid.live import Clock, LiveGame, LiveServer
from mettagrid.policy.loader import discover_and_register_policies, resolve_policy_class_path
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodePlan
from record import record

FASTEST = 1000.0

# From the key press to the end of the first frame with a newer tick.
# Reading one pixel waits until the frame is drawn.
KEY = """async (key) => {
    const { app, panes } = mettascope;
    const before = app.lastTick;
    let pressed = 0;
    addEventListener("keydown", (event) => (pressed = event.timeStamp), { capture: true, once: true });
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const start = performance.now();
    for (;;) {
        await new Promise(requestAnimationFrame);
        const { view, canvas } = panes[0];
        if ((view?.next ?? view?.frame)?.tick > before) {
            canvas.getContext("webgl2").readPixels(0, 0, 1, 1, 6408, 5121, new Uint8Array(4));
            return performance.now() - pressed;
        }
        if (performance.now() - start > 5000) return null;
    }
}"""


def plan_of(mission: str) -> EpisodePlan:
    env = missions.load(mission, seed=42)
    env.game.max_steps = 1_000_000  # longer than anybody measures
    spec = PolicySpec(class_path=resolve_policy_class_path("starter"))
    return EpisodePlan(env, [spec], [0] * env.game.num_agents, seed=42)


def steps_per_second(game: LiveGame, seconds: float) -> float:
    feed = game.lines[0].renderer.feed
    tick, began = feed.tick, time.monotonic()
    time.sleep(seconds)
    return round((feed.tick - tick) / (time.monotonic() - began), 1)


def spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    worst = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return {"median": round(statistics.median(ordered), 1), "95th": round(worst, 1), "most": round(ordered[-1], 1)}


def measure(page: Page, mission: str, seconds: float, keys: int) -> dict[str, Any]:
    found: dict[str, Any] = {"mission": mission}
    clock = Clock(paused=True, steps_per_second=FASTEST)
    with LiveGame(plan_of(mission), title=mission, clock=clock) as game, LiveServer(game) as server:
        game.start()
        clock.play()
        found["steps_alone"] = steps_per_second(game, seconds / 2)
        page.goto(server.address)
        page.wait_for_selector(".hud-chip")
        page.wait_for_timeout(1500)
        shown = "(() => mettascope.app.tick)()"
        tick, began = page.evaluate(shown), time.monotonic()
        feed = game.lines[0].renderer.feed
        first = feed.tick
        page.wait_for_timeout(seconds * 1000)
        passed = time.monotonic() - began
        found["steps_watched"] = round((feed.tick - first) / passed, 1)
        found["steps_shown"] = round((page.evaluate(shown) - tick) / passed, 1)
        print(f"steps a second: {found['steps_alone']} alone, {found['steps_watched']} with the page open,", end=" ")
        print(f"{found['steps_shown']} shown; at tick {feed.tick}", flush=True)
        page.keyboard.press(".")
        page.keyboard.press("Shift+D")
        page.wait_for_selector(".live-drivers [data-driver=you]")
        page.wait_for_timeout(2500)
        times = []
        for i in range(keys):
            times.append(page.evaluate(KEY, ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp")[i % 4]))
            page.wait_for_timeout(120)
        if None in times:
            raise SystemExit(f"live.py: {times.count(None)} of {keys} keys were not answered within 5 s")
        found["key_ms"] = spread(times)
        print(f"key to picture: {found['key_ms']} ms", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mission", default="machina_1")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--first", action="store_true", help="take cores from all other work (Linux, as root)")
    parser.add_argument("--record", action="store_true", help="add a line to results/live.jsonl")
    options = parser.parse_args()
    discover_and_register_policies("cogames.policy")
    with measured_page(first=options.first) as page:
        found = measure(page, options.mission, options.seconds, options.keys)
        found["browser"] = page.context.browser.version if page.context.browser else ""
    if options.record:
        print(record("live", " ".join(["live.py", *sys.argv[1:]]), found))


if __name__ == "__main__":
    main()
