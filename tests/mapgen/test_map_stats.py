"""Generated maps have the figures of those of the published generator."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.mapgen.map_stats import deviations, figures_of, recorded_figures
from tests.mapgen.missions import AGENTS, mission_map

MISSIONS = ("arena", "machina_1", "four_score", "tutorial")


@pytest.fixture(scope="module")
def recorded(oracle_dir: Path) -> dict[str, Any]:
    return json.loads((oracle_dir / "map_stats.json").read_text())


def deviations_of(mission: str, recorded: dict[str, Any], first_seed: int, count: int) -> list[str]:
    grids = (
        mission_map(mission, seed).create().build_for_num_agents(AGENTS[mission]).grid
        for seed in range(first_seed, first_seed + count)
    )
    return deviations(map(figures_of, grids), recorded_figures(recorded[mission]), recorded[mission]["seeds"])


@pytest.mark.parametrize("mission", MISSIONS)
def test_a_few_maps_match_the_recorded_statistics(mission: str, recorded: dict[str, Any]) -> None:
    assert deviations_of(mission, recorded, first_seed=1000, count=12) == []


@pytest.mark.slow
@pytest.mark.parametrize("mission", MISSIONS)
def test_as_many_maps_as_recorded_have_the_same_means_and_deviations(mission: str, recorded: dict[str, Any]) -> None:
    assert deviations_of(mission, recorded, first_seed=0, count=recorded[mission]["seeds"]) == []


@pytest.mark.parametrize("mission", MISSIONS)
def test_maps_have_the_recorded_size(mission: str, recorded: dict[str, Any]) -> None:
    assert [list(mission_map(mission, 1).create().build().grid.shape)] == recorded[mission]["size"]
