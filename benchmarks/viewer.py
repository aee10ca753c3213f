"""Measure the speed of the viewer in a real browser without a graphics card.

usage: viewer.py [--steps 1000] [--seconds 15] [--first] [--record]

  open    seconds from the click to the first picture of a machina_1 replay, in both formats
  seek    milliseconds from asking for a tick anywhere until its picture is drawn
  play    milliseconds from one picture to the next while four_score (130x130, 32 cogs) plays at 1280x800 with all
          layers on: the whole map, and close to an agent that is followed
  memory  megabytes of the page's heap that 1,000 jumps leave behind
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from browser import measured_page
from cogames import missions
from mettagrid.policy.loader import discover_and_register_policies, resolve_policy_class_path
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodePlan, play_episode
from mettagrid.viewer import serve
from record import record

# Reading one pixel waits until everything before it has been drawn.
DRAWN = "mettascope.panes[0].canvas.getContext('webgl2').readPixels(0, 0, 1, 1, 6408, 5121, new Uint8Array(4))"

SEEK = f"""async (count) => {{
    const {{ app }} = mettascope;
    const times = [];
    for (let i = 0; i < count; i++) {{
        await new Promise((done) => setTimeout(done, 30));
        const start = performance.now();
        app.seek((i * 7919) % (app.lastTick + 1));
        await new Promise(requestAnimationFrame);
        {DRAWN};
        times.push(performance.now() - start);
    }}
    return times;
}}"""

PLAY = """async (seconds) => {
    mettascope.app.play(true);
    const times = [];
    let last = await new Promise(requestAnimationFrame);
    for (const end = last + seconds * 1000; last < end; ) {
        const now = await new Promise(requestAnimationFrame);
        times.push(now - last);
        last = now;
    }
    mettascope.app.play(false);
    return times;
}"""

SCRUB = """async (count) => {
    const { app } = mettascope;
    for (let i = 0; i < count; i++) {
        app.seek((i * 7919) % (app.lastTick + 1));
        await new Promise(requestAnimationFrame);
    }
}"""

ALL_LAYERS = "for (const box of document.querySelectorAll('[data-layer]')) if (!box.checked) box.click()"


def play(mission: str, steps: int, path: Path) -> None:
    env = missions.load(mission, seed=42)
    env.game.max_steps = steps
    spec = PolicySpec(class_path=resolve_policy_class_path("starter"))
    play_episode(EpisodePlan(env, [spec], [0] * env.game.num_agents, seed=42, replay_path=path))


def shown(page: Page, address: str) -> float:
    """Return the seconds until the first frame."""
    page.goto(address)
    page.wait_for_selector(".hud-chip")
    marks = "performance.getEntriesByName('first-frame').map(mark => mark.startTime)"
    while not (found := page.evaluate(marks)):
        page.wait_for_timeout(20)
    page.wait_for_timeout(1500)
    return float(found[0]) / 1000


def spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    worst = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return {"median": round(statistics.median(ordered), 1), "95th": round(worst, 1), "most": round(ordered[-1], 1)}


def measure(page: Page, folder: Path, steps: int, seconds: float) -> dict[str, Any]:
    found: dict[str, Any] = {"steps": steps, "open_seconds": {}, "seek_ms": {}, "play_ms": {}}
    for kind in ("cogreplay", "json.z"):
        path = folder / f"machina.{kind}"
        play("machina_1", steps, path)
        with serve(path) as server:
            times = [shown(page, server.address) for _ in range(5)]
            found["open_seconds"][kind] = round(statistics.median(times), 3)
            found["seek_ms"][kind] = spread(page.evaluate(SEEK, 100))
        print(f"open {kind}: {found['open_seconds'][kind]} s; seek: {found['seek_ms'][kind]}", flush=True)
    path = folder / "four.cogreplay"
    play("four_score", steps, path)
    with serve(path) as server:
        shown(page, f"{server.address}#tick={steps // 2}")
        page.keyboard.press(".")
        page.evaluate(ALL_LAYERS)
        page.wait_for_timeout(1500)
        found["play_ms"]["whole map"] = spread(page.evaluate(PLAY, seconds))
        page.evaluate(f"mettascope.app.seek({steps // 2})")
        for key in "feeeeeee":
            page.keyboard.press(key)
        page.wait_for_timeout(2500)
        found["play_ms"]["following"] = spread(page.evaluate(PLAY, seconds))
        for name, times_between in found["play_ms"].items():
            rate = 1000 / times_between["median"]
            print(f"play four_score, {name}: {times_between}, {rate:.0f} pictures a second", flush=True)
        session = page.context.new_cdp_session(page)

        def heap() -> float:
            for _ in range(3):
                session.send("HeapProfiler.collectGarbage")
            return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 2**20

        page.evaluate(SCRUB, 200)
        before = heap()
        page.evaluate(SCRUB, 1000)
        found["heap_mb"] = {"before": round(before, 2), "growth": round(heap() - before, 2)}
        print(f"memory: {found['heap_mb']}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--first", action="store_true", help="take cores from all other work (Linux, as root)")
    parser.add_argument("--record", action="store_true", help="add a line to results/viewer.jsonl")
    options = parser.parse_args()
    discover_and_register_policies("cogames.policy")
    with tempfile.TemporaryDirectory() as folder, measured_page(first=options.first) as page:
        found = measure(page, Path(folder), options.steps, options.seconds)
        found["browser"] = page.context.browser.version if page.context.browser else ""
    if options.record:
        print(record("viewer", " ".join(["viewer.py", *sys.argv[1:]]), found))


if __name__ == "__main__":
    main()
