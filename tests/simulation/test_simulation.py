"""Seasons with faults end as seasons without, bugs in the server are found, and a seed gives the same season again.

`SIMULATED_SEASONS` is the number of seasons (200), `PLANTED_SEASONS` the number in which a planted bug must be found
(100), and `SIMULATION_SEED` the first seed; `make soak` asks for 10,000 and 1,000.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.planted import PLANTS
from tests.simulation.season import play_season

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
SEASONS = int(os.environ.get("SIMULATED_SEASONS", "200"))
PLANTED = int(os.environ.get("PLANTED_SEASONS", "100"))
FIRST = int(os.environ.get("SIMULATION_SEED", "0"))
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_a_season_with_faults_ends_as_without(part: int) -> None:
    failed = {}
    for seed in range(FIRST + part, FIRST + SEASONS, PARTS):
        outcome = play_season(seed)
        if outcome.violations:
            failed[seed] = outcome.violations
    gc.collect()  # a file, connection or coroutine that a killed process has left open is an error of this test
    assert failed == {}


@pytest.mark.parametrize("name", sorted(PLANTS))
def test_a_planted_bug_is_found(name: str) -> None:
    assert any(play_season(seed, plant=PLANTS[name]).violations for seed in range(FIRST, FIRST + PLANTED))


def test_a_seed_gives_the_same_season_in_every_process() -> None:
    seed = FIRST + 3
    here = [play_season(seed).digest, play_season(seed).digest]
    command = [sys.executable, "-m", "tests.simulation", "--seed", str(seed)]
    there = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert f"digest {here[0]}" in there and here[0] == here[1]
    assert play_season(seed + 1).digest != here[0]
