"""Our `arena` on the recorded map: the configuration is the recorded one, and the episodes come out equal."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from cogsguard.missions.mission import CvCMission
from mettagrid.config.mettagrid_config import AsciiMapBuilder, MettaGridConfig

MOST_BYTES = 150_000


@pytest.fixture(scope="module")
def play(oracle_dir: Path) -> ModuleType:
    return _script(oracle_dir, "trace_episode")


@pytest.fixture(scope="module")
def compare(oracle_dir: Path) -> ModuleType:
    return _script(oracle_dir, "compare_traces")


def _script(folder: Path, name: str) -> ModuleType:
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


def arena_on(map_builder: dict[str, Any]) -> MettaGridConfig:
    builder = AsciiMapBuilder.Config.model_validate(map_builder)
    return CvCMission(name="arena", map_builder=builder, max_steps=1000).make_env()


def without_map_and_late_events(config: dict[str, Any], last: int) -> dict[str, Any]:
    """The recordings hold events up to twice the recorded steps; all orders of keys count."""
    game = {key: value for key, value in config["game"].items() if key != "map_builder"}
    game["events"] = {
        key: {**event, "timesteps": [step for step in event["timesteps"] if step <= last]}
        for key, event in game["events"].items()
    }
    return {**config, "game": game}


def in_order(data: Any) -> Any:
    """Nested dictionaries as lists of pairs, so that comparing them compares the order of keys too."""
    if isinstance(data, dict):
        return [(key, in_order(value)) for key, value in data.items()]
    return [in_order(item) for item in data] if isinstance(data, list) else data


@pytest.mark.parametrize("name", ["arena_8_1", "arena_8_1_played"])
def test_the_configuration_is_the_recorded_one(name: str, oracle_dir: Path, play: ModuleType) -> None:
    recorded = play.read_json(oracle_dir / "missions" / f"{name}.json.gz")
    last = 2 * play.read_json(oracle_dir / "missions" / f"{name}.meta.json")["steps"]
    ours = arena_on(recorded["game"]["map_builder"]).to_published()
    expected = without_map_and_late_events(recorded, last)
    assert in_order(without_map_and_late_events(ours, last)) == in_order(expected)


@pytest.mark.parametrize("form", ["compact", "published"])
@pytest.mark.parametrize("name", ["arena_8_1", "arena_8_1_played"])
def test_the_recorded_episode_comes_out_equal(
    name: str, form: str, oracle_dir: Path, play: ModuleType, compare: ModuleType
) -> None:
    folder = oracle_dir / "missions"
    config = arena_on(play.read_json(folder / f"{name}.json.gz")["game"]["map_builder"])
    if form == "published":
        config = MettaGridConfig.model_validate(config.to_published())
    meta = play.read_json(folder / f"{name}.meta.json")
    actions = folder / f"{name}.actions.npz"
    script = compare.load(actions) if actions.exists() else None
    _, trace = play.run_episode(config, meta["seed"], meta["steps"], meta["action_seed"], script)
    expected = compare.load(folder / f"{name}.npz")
    assert compare.difference({key: np.asarray(value) for key, value in trace.items()}, expected) is None


def test_the_configuration_is_small_and_survives_saving(oracle_dir: Path, play: ModuleType) -> None:
    config = arena_on(play.read_json(oracle_dir / "missions" / "arena_8_1.json.gz")["game"]["map_builder"])
    written = config.model_dump_json()
    assert len(written) < MOST_BYTES
    assert MettaGridConfig.model_validate_json(written) == config
