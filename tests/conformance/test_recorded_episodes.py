"""Every recorded episode of the published engine, played again: observations, rewards, stats, what is left: all equal.

The scripts that play and compare come with the recordings (`shared/oracle`); `compare_traces.py` there says the same
from the command line.
"""

import importlib
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from mettagrid import _native
from tests.conformance.in_batch import BatchedSimulation
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


ALONE = 0
HIGHEST = _native.processor_level()
WAYS = [
    pytest.param(ALONE, HIGHEST, id="alone"),
    pytest.param(1, 0, id="in a batch, base instructions", marks=pytest.mark.slow),
    pytest.param(2, min(1, HIGHEST), id="in a batch, 2 threads, AVX2", marks=pytest.mark.slow),
    pytest.param(4, HIGHEST, id="in a batch, 4 threads"),
]


@pytest.fixture
def level(request: pytest.FixtureRequest) -> Iterator[int]:
    """The level of the processor's instructions, in force during the test."""
    _native._set_processor_level(request.param)
    yield request.param
    _native._set_processor_level(HIGHEST)


# Some recorded games have settings without effect, on purpose.
@pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")
@pytest.mark.usefixtures("level")
@pytest.mark.parametrize(("threads", "level"), WAYS, indirect=["level"])
@pytest.mark.parametrize("episode", recorded())
def test_a_recorded_episode_replays_exactly(
    episode: str, threads: int, oracle_dir: Path, scripts: Scripts, monkeypatch: pytest.MonkeyPatch
) -> None:
    if threads != ALONE:
        monkeypatch.setattr(scripts.play, "Simulation", partial(BatchedSimulation, threads=threads))
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
