"""Every recorded game: a snapshot at some step, opened in another process, continues exactly like the original."""

import multiprocessing
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from mettagrid.simulator.simulator import Simulation
from tests.conformance.continued import go_on, go_on_elsewhere, look
from tests.conformance.test_recorded_episodes import Scripts, recorded, scripts  # noqa: F401


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")
@pytest.mark.parametrize("episode", recorded())
def test_an_episode_continues_in_another_process(
    episode: str,
    oracle_dir: Path,
    scripts: Scripts,  # noqa: F811
    elsewhere: ProcessPoolExecutor,
) -> None:
    folder, name = episode.split("/")
    directory = oracle_dir / folder
    meta = scripts.play.read_json(directory / f"{name}.meta.json")
    raw = scripts.play.read_json(scripts.play.case_path(directory, name))
    engine = Simulation(scripts.play.load_config(raw), seed=meta["seed"])._c_sim
    steps = min(meta["steps"], 120)
    rng = np.random.default_rng(meta["action_seed"])
    shape = (steps, engine.num_agents)
    actions = rng.integers(0, len(engine.action_names), shape).astype(np.int32)
    vibe_actions = rng.integers(0, len(engine.action_names), shape).astype(np.int32)

    cut = zlib.crc32(name.encode()) % steps
    go_on(engine, actions[:cut], vibe_actions[:cut])
    snapshot, seen = engine.snapshot(), look(engine)
    there = elsewhere.submit(go_on_elsewhere, raw, oracle_dir, snapshot, actions[cut:], vibe_actions[cut:])
    here = [seen, *go_on(engine, actions[cut:], vibe_actions[cut:])]
    assert there.result() == here
