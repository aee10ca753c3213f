"""An episode of machina_1 that was watched while it was played, and a browser to look at it with."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.replay import EpisodeRecorder, Replay, save_replay
from mettagrid.simulator import Simulation
from mettagrid.viewer import ReplayServer, serve
from tests.support import ROOT, missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STEPS = int(os.environ.get("VIEWER_STEPS", "1000"))
"""`make soak` takes the 10,000 that machina_1 has by default"""
TICK = min(600, STEPS)
"""the tick that the panels are looked at"""

BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
]


@dataclass
class Watched:
    """What the engine said while an episode was played."""

    config: MettaGridConfig
    replay: Replay
    digests: list[str] = field(default_factory=list)
    """of all that is no wall, by tick"""
    states: dict[int, dict[int, dict[str, Any]]] = field(default_factory=dict)
    """{tick: {object id: what it is}}, for some ticks"""
    observations: dict[int, np.ndarray] = field(default_factory=dict)
    totals: dict[int, np.ndarray] = field(default_factory=dict)
    stats: dict[int, dict[str, float]] = field(default_factory=dict)
    places: list[list[tuple[int, int]]] = field(default_factory=list)
    """[tick][agent]: (column, row)"""
    held: list[dict[str, int]] = field(default_factory=list)
    """[tick]: {team: junctions}"""
    health: list[list[int]] = field(default_factory=list)
    """[tick][agent]"""

    def amount(self, tick: int, object_id: int, resource: str) -> int:
        held: dict[int, int] = self.states[tick][object_id]["inventory"]
        return held.get(self.config.game.resource_names.index(resource), 0)

    def agent(self, tick: int, agent_id: int) -> dict[str, Any]:
        return next(item for item in self.states[tick].values() if item.get("agent_id") == agent_id)

    def tags(self, tick: int, object_id: int) -> set[str]:
        return {self.replay.tag_names[tag] for tag in self.states[tick][object_id]["tag_ids"]}


def watch(simulation: Simulation, watched: Watched, totals: np.ndarray, *, closely: bool) -> None:
    """Take down what the engine says about the present tick."""
    engine = simulation._c_sim
    things = engine.grid_objects(ignore_types=["wall"])
    rows = [
        [number, *item["location"], sorted(item["inventory"].items()), sorted(item["tag_ids"]), item.get("vibe", 0)]
        for number, item in sorted(things.items())
    ]
    watched.digests.append(hashlib.sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest())
    agents = sorted((item for item in things.values() if "agent_id" in item), key=lambda item: item["agent_id"])
    watched.places.append([item["location"] for item in agents])
    hp = simulation.config.game.resource_names.index("hp")
    watched.health.append([item["inventory"].get(hp, 0) for item in agents])
    names = engine.program.tag_names
    counts: dict[str, int] = {name.removeprefix("team:"): 0 for name in names if name.startswith("team:")}
    for item in things.values():
        if item["type_name"] == "junction":
            for tag in item["tag_ids"]:
                if names[tag].startswith("team:"):
                    counts[names[tag].removeprefix("team:")] += 1
    watched.held.append(counts)
    if closely:
        tick = len(watched.digests) - 1
        watched.states[tick] = simulation.grid_objects()
        watched.observations[tick] = engine.observations().copy()
        watched.totals[tick] = totals.copy()
        watched.stats[tick] = dict(simulation.episode_stats["game"])


@pytest.fixture(scope="session")
def watched() -> Watched:
    """machina_1, played by the starter policy."""
    from cogames.missions import load
    from mettagrid.policy.loader import (
        discover_and_register_policies,
        initialize_or_load_policy,
        resolve_policy_class_path,
    )
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.policy.policy_spec import PolicySpec

    discover_and_register_policies("cogames.policy")
    config = load("machina_1", seed=7)
    config.game.max_steps = STEPS
    simulation = Simulation(config, seed=7)
    simulation._context["policy_infos"] = {agent: {"policy_name": "starter"} for agent in range(simulation.num_agents)}
    recorder = EpisodeRecorder.of(simulation)
    spec = PolicySpec(class_path=resolve_policy_class_path("starter"))
    policy = initialize_or_load_policy(PolicyEnvInterface.from_mg_cfg(config), spec)
    agents = [policy.agent_policy(agent) for agent in range(simulation.num_agents)]
    watched = Watched(config, None)  # type: ignore[arg-type]
    totals = np.zeros(simulation.num_agents)
    closely = {0, 1, TICK, STEPS, *range(0, STEPS, 97)}
    watch(simulation, watched, totals, closely=True)
    for tick in range(1, STEPS + 1):
        for agent, player in enumerate(agents):
            simulation.agent(agent).set_action(player.step(simulation.agent(agent).observation))
        simulation.step()
        recorder.record()
        totals += simulation._c_sim.rewards().astype(np.float64)
        watch(simulation, watched, totals, closely=tick in closely)
    watched.replay = recorder.finish()
    return watched


@pytest.fixture(scope="session")
def replay_files(watched: Watched, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """{format: file} of the watched episode."""
    folder = tmp_path_factory.mktemp("replays")
    files = {"cogreplay": folder / "machina.cogreplay", "v4": folder / "machina.json.z"}
    for path in files.values():
        save_replay(watched.replay, path)
    return files


@pytest.fixture(scope="session")
def dump() -> Callable[..., list[Any]]:
    """dump(task, file, *ticks): what the page's own decoder says, run without a browser."""
    import web

    with web.locked("web"):
        web.install_modules()
        web.npm("building the decoder", "run", "build-tools")
    node = web.node_folder() / "node"

    def run(task: str, path: Path, *ticks: int) -> list[Any]:
        command = [str(node), str(ROOT / "web" / "dist" / "tools" / "dump.js"), task, str(path), *map(str, ticks)]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        return [json.loads(line) for line in output.splitlines()]

    return run


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        missing("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER_FLAGS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page in the browser, and what went wrong in it."""

    page: Page
    errors: list[str] = field(default_factory=list)

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector("[data-testid=hud] .hud-chip, [data-testid=error]", state="attached")

    def panel(self, name: str) -> None:
        self.page.click(f"[data-panel={name}]")
        self.page.wait_for_selector(f"[data-panel={name}][aria-pressed=true]")

    def seek(self, tick: int) -> None:
        self.page.fill("[data-testid=tick]", str(tick))
        self.page.press("[data-testid=tick]", "Enter")
        self.page.evaluate("document.activeElement.blur()")

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something in the page; its policy forbids the usual way, which makes code from text."""
        for _ in range(600):
            if condition():
                return
            self.page.wait_for_timeout(50)
        pytest.fail("waited for 30 s in vain")

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_inner_texts()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Any]]:
    """visit(address, **context) opens a page; at the end of the test nothing may have gone wrong in any."""
    with visiting(browser) as go:
        yield go


@contextmanager
def visiting(browser: Browser) -> Iterator[Callable[..., Visit]]:
    contexts = []
    visits: list[Visit] = []

    def go(address: str, **settings: Any) -> Visit:
        shape = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark", **settings}
        context = browser.new_context(**shape)
        contexts.append(context)
        found = Visit(context.new_page())
        visits.append(found)
        found.page.set_default_timeout(60_000)
        found.page.on("pageerror", lambda error: found.errors.append(str(error)))
        found.page.on("console", lambda message: found.errors.append(message.text) if message.type == "error" else None)
        found.open(address)
        return found

    yield go
    for context in contexts:
        context.close()
    assert [found.errors for found in visits if found.errors] == []


@pytest.fixture(scope="module")
def served(replay_files: dict[str, Path]) -> Iterator[ReplayServer]:
    with serve(replay_files["cogreplay"]) as server:
        yield server
