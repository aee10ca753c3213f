"""A step allocates no memory: every allocator call is counted while the engine steps, and the count is zero.

Each measurement is a separate process with `count_allocations.c` preloaded, which replaces malloc, calloc,
realloc, aligned_alloc, posix_memalign, memalign and operator new. It calls the engine's step from C and counts during
these calls only, whoever allocates: the extension, the C++ library, or Python on the way in and out. Run as a program,
this file is what that process does.
"""

import ctypes
import json
import os
import platform
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mettagrid.batch import Batch
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.mettagrid_c import MettaGrid
from mettagrid.simulator import Simulation
from tests.support import ROOT, missing, require_tool

STEPS = 1000
WARM_UP = 20  # first uses: symbols are bound, scratch memory grows to the size of the world
SOURCE = Path(__file__).with_name("count_allocations.c")

GAMES = {
    "arena": ["arena_8_1"],
    "spawning": ["spawning_00", "spawning_01", "spawning_02", "spawning_03"],
    "tags": ["tags_00", "tags_01", "tags_02", "tags_03"],
    "events": ["events_00", "events_01", "events_02", "events_03", "event_motion_00", "event_motion_01"],
    "talk": ["talk"],  # arena once more, with agents that talk: talk is beside the engine, and must stay there
}

pytestmark = pytest.mark.slow  # and so not under the sanitizers, which bring an allocator of their own


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library to preload."""
    if sys.platform != "linux" or platform.libc_ver()[0] != "glibc":
        missing("counting allocations needs Linux with glibc")
    library = tmp_path_factory.mktemp("counter") / "count_allocations.so"
    compiler = require_tool(os.environ.get("CC", "cc"))
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    return library


def measured(counter: Path, what: str, *names: str) -> dict[str, Any]:
    """{name: [allocations, who made the first]} from a new process."""
    env = {**os.environ, "LD_PRELOAD": str(counter), "PYTHONPATH": os.pathsep.join([str(ROOT), *python_path()])}
    words = [sys.executable, __file__, str(counter), what, *names]
    found: dict[str, Any] = json.loads(subprocess.check_output(words, env=env, text=True))
    return found


def python_path() -> list[str]:
    given = os.environ.get("PYTHONPATH")
    return [given] if given else []


@pytest.mark.parametrize("family", GAMES)
def test_a_step_allocates_nothing(counter: Path, oracle_dir: Path, family: str) -> None:
    found = measured(counter, "steps", str(oracle_dir), *GAMES[family])
    assert found == {name: [0, ""] for name in GAMES[family]}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_of_a_batch_allocates_the_same_for_many_steps_as_for_few(
    counter: Path, oracle_dir: Path, threads: int
) -> None:
    """What is made around a run is Python's; the steps add nothing, whichever thread takes them."""
    found = measured(counter, "batch", str(oracle_dir), str(threads))
    assert found["1000 steps"] == found["10 steps"]


def test_what_allocates_is_counted(counter: Path) -> None:
    """Otherwise zero would mean nothing: calls that return lists, and the making of a world."""
    found = measured(counter, "controls")
    assert found["nothing"] == [0, ""]
    for name in ("python bytes", "numpy array", "vector of the extension", "new world"):
        calls, caller = found[name]
        assert calls >= STEPS, name
        assert caller, name
    assert "_native" in found["vector of the extension"][1]


# The measuring process.


class Counter:
    """`count_allocations.c` in this process."""

    def __init__(self, path: str) -> None:
        library = ctypes.PyDLL(path)  # keeps Python's lock
        self._count = library.count_allocations
        pointer = np.ctypeslib.ndpointer(np.int32, flags="C")
        self._count.argtypes = [ctypes.py_object, pointer, pointer, pointer, ctypes.c_int64, ctypes.c_int64]
        self._count.restype = ctypes.c_int64
        self._describe = library.describe_first_caller

    def count(self, call: Callable[[], object], engine: MettaGrid, steps: int) -> tuple[int, str]:
        """(allocations, who made the first) during calls with random actions in the buffers of an engine."""
        rng = np.random.default_rng(7)
        plan = rng.integers(0, len(engine.action_names), (steps, 2, engine.num_agents), np.int32)
        calls = self._count(call, engine.actions(), engine.vibe_actions(), plan, engine.num_agents, steps)
        text = ctypes.create_string_buffer(400)
        if calls:
            self._describe(text, len(text))
        return calls, text.value.decode()


def recorded(oracle: Path, name: str) -> MettaGridConfig:
    sys.path.insert(0, str(oracle))
    import trace_episode

    folder = oracle / ("missions" if name.startswith("arena") else "cases")
    config: MettaGridConfig = trace_episode.load_config(
        trace_episode.read_json(trace_episode.case_path(str(folder), name))
    )
    return config


def count_steps(counter: Counter, oracle: Path, name: str) -> tuple[int, str]:
    config = recorded(oracle, "arena_8_1" if name == "talk" else name)
    config.game.talk.enabled = name == "talk"
    config.game.talk.cooldown_steps = WARM_UP + STEPS
    simulation = Simulation(config, seed=1)
    if name == "talk":
        for agent in simulation.agents():
            agent.set_talk(f"agent {agent.id} speaking")
        simulation.step()
        assert len(simulation.talk_states()) == simulation.num_agents
    engine = simulation._c_sim
    counter.count(engine.step, engine, WARM_UP)
    return counter.count(engine.step, engine, STEPS)


def count_runs(counter: Counter, oracle: Path, threads: int) -> dict[str, tuple[int, str]]:
    config = recorded(oracle, "spawning_00")
    worlds = [Simulation(config, seed=seed)._c_sim for seed in range(4)]
    found = {}
    with Batch(worlds, threads=threads) as batch:
        batch.run(STEPS, seed=1)
        for steps in (10, STEPS):
            found[f"{steps} steps"] = counter.count(partial(batch.run, steps, seed=2), worlds[0], 5)
    return found


def count_controls(counter: Counter) -> dict[str, tuple[int, str]]:
    config = MettaGridConfig.EmptyRoom(num_agents=24, width=20, height=20)
    engine = Simulation(config)._c_sim
    rows = np.array(config.game.map_builder.create().build_for_num_agents(24).grid)
    controls: dict[str, Callable[[], object]] = {
        "nothing": int,
        "python bytes": lambda: bytes(5000),
        "numpy array": lambda: np.empty(5000),
        "vector of the extension": engine._episode_rewards,
        "new world": lambda: MettaGrid(engine.program, rows, 0),
    }
    found = {}
    for name, call in controls.items():
        counter.count(call, engine, WARM_UP)
        found[name] = counter.count(call, engine, STEPS)
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    library, what, *rest = sys.argv[1:]
    counter = Counter(library)
    if what == "controls":
        found = count_controls(counter)
    elif what == "batch":
        found = count_runs(counter, Path(rest[0]), int(rest[1]))
    else:
        found = {name: count_steps(counter, Path(rest[0]), name) for name in rest[1:]}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
