"""Jobs and results as JSON: what is accepted, what is refused."""

import pytest
from pydantic import ValidationError

from mettagrid.runner.types import EpisodeSpec, PureSingleEpisodeJob, RunnerError, RuntimeInfo, SingleEpisodeJob


@pytest.fixture
def job(room, tmp_path):
    """`job(Model, **fields)`: a job for two agents of one policy."""

    def make(model, **fields):
        outputs = {"results_uri": None, "replay_uri": None} if model is PureSingleEpisodeJob else {}
        return model(**{"policy_uris": ["mock://noop"], "assignments": [0, 0], "env": room(2), **outputs, **fields})

    return make


@pytest.mark.parametrize("model", [EpisodeSpec, PureSingleEpisodeJob, SingleEpisodeJob])
def test_there_is_a_name_for_each_policy_or_none(job, model):
    assert job(model, policy_names=["mine"]).policy_names == ["mine"]
    with pytest.raises(ValidationError, match="policy_names must have the same length as policy_uris"):
        job(model, policy_names=["mine", "yours"])


def test_outputs_of_a_job_are_files_in_folders_that_exist(job, tmp_path):
    fine = f"file://{tmp_path}/results.json"
    assert job(PureSingleEpisodeJob, results_uri=fine).results_uri == fine
    assert job(PureSingleEpisodeJob, results_uri=str(tmp_path / "results.json")).replay_uri is None
    for wrong in ("s3://bucket/results.json", f"file://{tmp_path}/none/results.json", "mock://x"):
        with pytest.raises(ValidationError, match="must be a file:// URI with an existing parent directory"):
            job(PureSingleEpisodeJob, results_uri=wrong)


def test_replays_of_a_job_end_as_replays_do(job, tmp_path):
    for ending in (".json.z", ".json.gz"):
        assert job(PureSingleEpisodeJob, replay_uri=f"file://{tmp_path}/replay{ending}")
    with pytest.raises(ValidationError, match=r"must end with \.json\.z or \.json\.gz"):
        job(PureSingleEpisodeJob, replay_uri=f"file://{tmp_path}/replay.json")


def test_seats_of_a_job_must_fit_those_of_a_spec_are_checked_later(job):
    assert job(EpisodeSpec, assignments=[0, 5]).assignments == [0, 5]
    with pytest.raises(ValidationError, match="Assignments must match agent count"):
        job(PureSingleEpisodeJob, assignments=[0, 5])


def test_jobs_of_an_older_form_name_the_engine_beside_the_game(job):
    assert job(EpisodeSpec, env={}, game_engine="bitworld").env.game_engine == "bitworld"
    assert job(EpisodeSpec, game_engine="mettagrid").env.game_engine == "mettagrid"


def test_a_league_job_is_a_spec_with_things_a_spec_does_not_know(job):
    spec = job(SingleEpisodeJob, sent_by="league", seed=4).episode_spec()
    assert type(spec) is EpisodeSpec
    assert spec.seed == 4


def test_errors_have_one_of_four_types():
    assert RunnerError(error_type="crash", message="m").failed_policy_index is None
    with pytest.raises(ValidationError):
        RunnerError(error_type="bad luck", message="m")


def test_nothing_need_be_known_about_the_runtime():
    assert RuntimeInfo().model_dump() == {"git_commit": None, "cogames_version": None, "instance_type": None}
