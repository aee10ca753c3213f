"""Every mission, and every variant on the arena, passes `check_mission`."""

import warnings

import pytest

from cogames import missions
from mettagrid import check_mission
from mettagrid.cogame.game import get_game
from mettagrid.compiler.errors import ConfigWarning

LARGE = ("easy_large_hearts", "machina_200_stations")
VARIANTS = [variant.name for variant in get_game(missions.DEFAULT_GAME).variants]


def errors(name: str, variants: list[str]) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConfigWarning)
        env = missions.load(name, variants=variants, seed=1)
        return [str(problem) for problem in check_mission(env) if not problem.is_warning]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LARGE else ()) for name in missions.list()]
)
def test_a_mission_has_no_problems(name: str) -> None:
    assert errors(name, []) == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_adds_no_problems(variant: str) -> None:
    assert errors("arena", [variant]) == []
