"""Each policy has its share of a job's time limit: a policy that hangs is stopped and blamed before the limit."""

from pathlib import Path

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.runner.boxed.job import RESULTS, PolicyToPlay, play_job

from .conftest import Maker

HANG = "import time\ntime.sleep(3600)\n"


@pytest.mark.parametrize(
    ("files", "says"), [({"setup": HANG}, "ran longer than 2"), ({"head": HANG}, "2 seconds")], ids=["setup", "load"]
)
def test_a_policy_that_hangs_before_the_game_is_blamed_within_the_time_limit_of_the_job(
    files: dict[str, str], says: str, make_bundle: Maker, game: MettaGridConfig, tmp_path: Path
) -> None:
    uri = make_bundle('return Action(name="noop")', **files).as_uri()
    spec = {"policy_uris": [uri], "assignments": [0] * 4, "env": game.model_dump(mode="json"), "seed": 1}
    folder = tmp_path / "job"
    folder.mkdir()
    error = play_job(folder, spec, [PolicyToPlay("mine", uri)], time_limit_seconds=20)
    assert error is not None and (error.error_type, error.failed_policy_index) == ("policy_error", 0)
    assert says in error.message
    assert (folder / RESULTS).exists(), "the others play"
