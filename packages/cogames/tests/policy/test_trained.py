"""The networks that come with their weights, through the command line. Playing does not import PyTorch."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import cogames.policy.trained as trained

PROGRAM = """
import atexit, sys
from cogames.main import main
atexit.register(lambda: print("torch" in sys.modules, file=sys.stderr))
sys.argv = ["cogames", *sys.argv[1:]]
main()
"""


def cogames(*words: str, cwd: Path) -> str:
    ran = subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, cwd=cwd)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.splitlines()[-1] == "False", "playing imported PyTorch"
    return ran.stdout


@pytest.mark.parametrize(
    ("mission", "policy", "steps", "least"),
    [
        ("arena", "trained_arena", 300, 1.0),  # junctions held for 1000 steps; it had 2.9 and 3.5 on two maps
        ("tutorial.miner", "metta://policy/trained_miner", 200, 12.0),  # 17.8 and 18.0; `random` is below 0
    ],
)
def test_a_trained_network_plays_as_well_as_it_learned(
    mission: str, policy: str, steps: int, least: float, tmp_path: Path
) -> None:
    words = ("run", "-m", mission, "-p", policy, "-e", "1", "-s", str(steps), "--seed", "42", "--format", "json")
    summary = json.loads(cogames(*words, "--workers", "1", cwd=tmp_path))["missions"][0]["mission_summary"]
    assert summary["per_episode_per_policy_avg_rewards"]["0"][0] > least


def test_the_weights_are_small() -> None:
    files = list(Path(trained.__file__).parent.glob("*/weights.safetensors"))
    assert len(files) == 2 and all(file.stat().st_size < 2_000_000 for file in files)
