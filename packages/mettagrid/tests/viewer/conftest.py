"""An episode of machina_1 whose state was recorded while it was played."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.replay import EpisodeRecorder, Replay, save_replay
from mettagrid.simulator import Simulation
from mettagrid.viewer import ReplayServer, serve
from tests.browser import Visit, visiting

__all__ = ["STEPS", "TICK", "Visit", "Watched", "visiting"]

STEPS = int(os.environ.get("VIEWER_STEPS", "1000"))
"""`make soak` takes the 10,000 that machina_1 has by default"""
TICK = min(600, STEPS)
"""the tick that the panels are looked at"""


@dataclass
class Watched:
    """The engine's state while an episode was played."""

    config: MettaGridConfig
    replay: Replay
    digests: list[str] = field(default_factory=list)
    """of all objects except walls, by tick"""
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
    """Record the engine's state at the current tick."""
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

    program, node = web.build_tools(), web.node_folder() / "node"

    def run(task: str, path: Path, *ticks: int) -> list[Any]:
        command = [str(node), str(program), task, str(path), *map(str, ticks)]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        return [json.loads(line) for line in output.splitlines()]

    return run


@pytest.fixture(scope="module")
def served(replay_files: dict[str, Path]) -> Iterator[ReplayServer]:
    with serve(replay_files["cogreplay"]) as server:
        yield server
