"""Games work without Gymnasium and PettingZoo; environments explain what to install."""

import subprocess
import sys

import pytest

BLOCK = "import sys; sys.modules.update(dict.fromkeys(('gymnasium', 'pettingzoo')));"


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", "-c", BLOCK + program], capture_output=True, text=True)


def test_games_need_neither() -> None:
    program = "import bitworld.envs; from bitworld.registry import new_game; new_game('stag_hunt').join('ann')"
    assert run(program).returncode == 0


@pytest.mark.parametrize("name", ["BitWorldGymEnv", "BitWorldParallelEnv", "BitWorldVectorEnv"])
def test_an_environment_names_the_extra(name: str) -> None:
    result = run(f"from bitworld.envs import {name}")
    assert "is not installed: `pip install bitworld[envs]`" in result.stderr
