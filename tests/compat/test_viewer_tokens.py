"""Some games of `viewer_tokens.py`: the tokens in the viewer are the engine's. `make compat` plays all of them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.compat import viewer_tokens
from tests.compat.viewer_tokens import Decoder, compared, first_difference, random_games, recorded_games

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::mettagrid.compiler.errors.ConfigWarning")]

EVERY = 50
"""of the recorded games"""
SEEDS = range(9000, 9015)


@pytest.fixture(scope="module")
def decoder() -> Decoder:
    return Decoder()


@pytest.fixture(scope="module", autouse=True)
def scripts(oracle_dir: Path) -> Iterator[None]:
    """The module imports the oracle's scripts and its neighbours by name."""
    folders = [str(Path(viewer_tokens.__file__).parent), str(oracle_dir)]
    sys.path[:0] = folders
    yield
    for folder in folders:
        sys.path.remove(folder)


def test_the_viewer_shows_the_tokens_of_random_games(decoder: Decoder, tmp_path: Path) -> None:
    differences = {game.name: compared(game, decoder, tmp_path) for game in random_games(SEEDS)}
    assert {name: text for name, text in differences.items() if text} == {}


def test_the_viewer_shows_the_tokens_of_recorded_games(decoder: Decoder, oracle_dir: Path, tmp_path: Path) -> None:
    games = list(recorded_games(oracle_dir))[::EVERY]
    differences = {game.name: compared(game, decoder, tmp_path) for game in games}
    assert {name: text for name, text in differences.items() if text} == {}


def test_the_comparison_reports_extra_and_missing_tokens_and_missing_features() -> None:
    given = [np.array([[[0x22, 6, 1], [0x22, 12, 7], [255, 255, 255]]], np.uint8)]

    def difference(*tokens: list[int], missing: tuple[str, ...] = ()) -> str | None:
        return first_difference(given, [{"tick": 0, "observations": [{"tokens": tokens, "missing": missing}]}])

    assert difference([0x22, 12, 7], [0x22, 6, 1]) is None
    assert difference([0x22, 6, 1]) == (
        "tick 0 agent 0: the viewer lacks [[34, 12, 7]] and adds [] [location, feature, value]"
    )
    assert "adds [[34, 13, 1]]" in str(difference([0x22, 6, 1], [0x22, 12, 7], [0x22, 13, 1]))
    assert difference([0x22, 12, 7], [0x22, 6, 1], missing=("clock",)) == "tick 0 agent 0: the viewer lacks clock"
    assert first_difference(given, []) == "the viewer has 0 ticks, the engine 1"
