"""Everything works or explains what to install without Gymnasium, PettingZoo or PufferLib."""

import subprocess
import sys

import pytest

BLOCK = "import sys; sys.modules.update(dict.fromkeys({names}));"


def run(program: str, *missing: str) -> str:
    """Return the output of a program in which these modules cannot be imported."""
    text = BLOCK.format(names=missing) + program
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", text], check=True, capture_output=True, text=True
    ).stdout


def test_the_engine_and_the_handlers_need_none_of_them() -> None:
    program = """
import mettagrid.batch, mettagrid.simulator, mettagrid.envs
from mettagrid.envs import EarlyResetHandler, StatsTracker
import mettagrid.util.stats_writer
print("fine")
"""
    assert run(program, "gymnasium", "pettingzoo", "pufferlib") == "fine\n"


def test_importing_the_engine_does_not_load_them() -> None:
    program = """
import mettagrid, mettagrid.batch, mettagrid.simulator, mettagrid.envs, mettagrid.envs.stats_tracker
print([name for name in ("gymnasium", "pettingzoo", "pufferlib", "torch") if name in sys.modules])
"""
    assert run(program) == "[]\n"


def test_the_puffer_environments_do_not_load_pufferlib() -> None:
    program = """
import mettagrid.envs.mettagrid_puffer_env, mettagrid.envs.puffer_vector_env
print([name for name in ("pettingzoo", "pufferlib", "torch") if name in sys.modules])
"""
    assert run(program) == "[]\n"


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("MettaGridPettingZooEnv", "pettingzoo"),
        ("MettaGridGymEnv", "gymnasium"),
        ("MettaGridVectorEnv", "gymnasium"),
        ("MettaGridPufferEnv", "gymnasium"),
        ("MettaGridPufferVectorEnv", "gymnasium"),
        ("GridObsWrapper", "gymnasium"),
    ],
)
def test_an_environment_says_how_to_install_what_it_lacks(name: str, missing: str) -> None:
    program = f"""
import mettagrid.envs
try:
    mettagrid.envs.{name}
except ImportError as error:
    print(error)
"""
    assert run(program, missing) == f"`{missing}` is not installed: `pip install mettagrid[envs]`\n"


def test_unknown_names_are_unknown() -> None:
    import mettagrid.envs

    with pytest.raises(AttributeError, match=r"module 'mettagrid\.envs' has no attribute 'Nothing'"):
        _ = mettagrid.envs.Nothing
