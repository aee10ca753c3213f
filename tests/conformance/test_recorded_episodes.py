"""Every recorded episode of the published engine, played again: observations, rewards, stats, what is left: all equal.

The scripts that play and compare come with the recordings (`shared/oracle`); `compare_traces.py` there says the same
from the command line.
"""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from tests.support import find_shared


class Scripts(NamedTuple):
    play: ModuleType
    compare: ModuleType


@pytest.fixture(scope="module")
def scripts(oracle_dir: Path) -> Scripts:
    sys.path.insert(0, str(oracle_dir))
    try:
        return Scripts(importlib.import_module("trace_episode"), importlib.import_module("compare_traces"))
    finally:
        sys.path.remove(str(oracle_dir))


def recorded() -> list[str]:
    """`folder/name` of every recording; without the folder `shared` one name that stands for them all."""
    shared = find_shared()
    if shared is None:
        return ["every recorded episode"]
    return [
        f"{folder}/{path.name.removesuffix('.meta.json')}"
        for folder in ("cases", "missions")
        for path in sorted((shared / "oracle" / folder).glob("*.meta.json"))
    ]


# Some recorded games have settings without effect, on purpose.
@pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")
@pytest.mark.parametrize("episode", recorded())
def test_a_recorded_episode_comes_out_equal(episode: str, oracle_dir: Path, scripts: Scripts) -> None:
    folder, name = episode.split("/")
    directory = oracle_dir / folder
    meta = scripts.play.read_json(directory / f"{name}.meta.json")
    config = scripts.play.load_config(scripts.play.read_json(scripts.play.case_path(directory, name)))
    actions = directory / f"{name}.actions.npz"
    script = scripts.compare.load(actions) if actions.exists() else None
    _, trace = scripts.play.run_episode(config, meta["seed"], meta["steps"], meta["action_seed"], script)
    expected = scripts.compare.load(directory / f"{name}.npz")
    difference = scripts.compare.difference({key: np.asarray(value) for key, value in trace.items()}, expected)
    assert difference is None, difference
