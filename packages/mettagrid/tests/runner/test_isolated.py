"""An episode as a job: policies in their own processes, results in files, errors with a name."""

import json
import os
import subprocess
import sys
import zipfile

import pytest

from mettagrid.runner.episode_runner import EpisodeSubprocessError, run_episode_isolated
from mettagrid.runner.episode_subprocess import main as run_job_file
from mettagrid.runner.policy_server.manager import launch_local_policy_server
from mettagrid.runner.rollout import run_episode_local
from mettagrid.runner.types import EpisodeSpec, PureSingleEpisodeResult, RunnerError, RuntimeInfo

pytestmark = pytest.mark.slow  # every test starts several processes

WALKER = "mock://stand_in_policies.Walker"


def spec_for(env, *uris, **fields):
    assignments = [agent % len(uris) for agent in range(env.game.num_agents)]
    return EpisodeSpec(policy_uris=list(uris), assignments=assignments, env=env, **fields)


def test_isolated_policies_play_as_they_do_in_process(room, stand_in, tmp_path):
    env = room(3, steps=6)
    result = run_episode_isolated(
        spec_for(env, WALKER, "mock://random", seed=5),
        tmp_path / "results.json",
        replay_path=tmp_path / "replay.json.z",
        debug_dir=tmp_path / "debug",
        policy_log_dir=tmp_path / "logs",
    )
    assert PureSingleEpisodeResult.model_validate_json((tmp_path / "results.json").read_text()) == result
    assert (tmp_path / "replay.json.z").stat().st_size > 0
    assert any(event["name"] == "agent_step" for event in json.loads((tmp_path / "debug" / "trace.json").read_text()))
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == ["0.log", "1.log", "2.log"]
    alone = run_episode_isolated(spec_for(room(2, steps=6), WALKER, seed=5), tmp_path / "alone.json")
    here, _ = run_episode_local(policy_specs=[stand_in("Walker")], assignments=[0, 0], env=room(2, steps=6), seed=5)
    assert alone == here


def test_a_policy_sees_its_own_secrets_alone(room, tmp_path, monkeypatch):
    monkeypatch.setenv("OUR_SECRET", "ours")
    secretive = "mock://stand_in_policies.Secretive"
    run_episode_isolated(
        spec_for(room(2, steps=1), secretive, secretive),
        tmp_path / "results.json",
        policy_log_dir=tmp_path / "logs",
        policy_secrets={1: {"MY_SECRET": "mine"}},
    )
    logs = [(tmp_path / "logs" / f"{agent}.log").read_text() for agent in range(2)]
    assert "{}" in logs[0] and "SECRET" not in logs[0]
    assert "{'MY_SECRET': 'mine'}" in logs[1]


def test_a_policy_that_fails_is_named_after_the_others_have_played_on(room, tmp_path):
    spec = spec_for(room(2, steps=8), WALKER, "mock://stand_in_policies.Crasher", policy_names=["good", "bad"])
    with pytest.raises(EpisodeSubprocessError, match="The policy bad failed") as caught:
        run_episode_isolated(spec, tmp_path / "results.json")
    assert caught.value.runner_error == RunnerError(
        error_type="policy_error",
        message="crashed: ValueError: I cannot continue\nat step 3, stand_in_policies.py, line 97, in choose",
        failed_policy_index=1,
        failed_policy_uri="mock://stand_in_policies.Crasher",
        failed_policy_name="bad",
    )
    assert PureSingleEpisodeResult.model_validate_json((tmp_path / "results.json").read_text()).steps == 8


def test_a_policy_that_is_not_there_is_an_error_before_anything_starts(room, tmp_path):
    with pytest.raises(FileNotFoundError):
        run_episode_isolated(spec_for(room(1), f"file://{tmp_path}/none.zip"), tmp_path / "results.json")
    with pytest.raises(ValueError, match="Assignments"):
        spec = EpisodeSpec(policy_uris=[WALKER], assignments=[0], env=room(2))
        run_episode_isolated(spec, tmp_path / "results.json")
    assert not (tmp_path / "results.json").exists()


def job_file(tmp_path, env, *uris, **fields):
    job = {
        "policy_uris": list(uris),
        "assignments": [0] * env.game.num_agents,
        "env": env.model_dump(mode="json"),
        "results_uri": f"file://{tmp_path}/results.json",
        "replay_uri": None,
        **fields,
    }
    (tmp_path / "job.json").write_text(json.dumps({"job": job, "device": "cpu"}))
    return [str(tmp_path / "job.json"), str(tmp_path / "error.json")]


def test_a_job_file_is_played_with_servers_that_are_there(room, tmp_path):
    handle = launch_local_policy_server(WALKER, startup_timeout=60)
    try:
        assert run_job_file(job_file(tmp_path, room(2, steps=3), handle.base_url)) == 0
    finally:
        handle.shutdown()
    assert PureSingleEpisodeResult.model_validate_json((tmp_path / "results.json").read_text()).steps == 3
    assert not (tmp_path / "error.json").exists()


@pytest.mark.parametrize(
    ("uri", "fields", "error_type"),
    [
        ("ws://127.0.0.1:1", {}, "crash"),
        ("mock://noop", {}, "crash"),
        ("ws://127.0.0.1:1", {"assignments": [0]}, "config_error"),
        ("ws://127.0.0.1:1", {"replay_uri": "file:///tmp/replay.txt"}, "config_error"),
    ],
)
def test_a_job_file_that_cannot_be_played_leaves_an_error(room, tmp_path, uri, fields, error_type):
    assert run_job_file(job_file(tmp_path, room(2, steps=1), uri, **fields)) == 1
    error = RunnerError.model_validate_json((tmp_path / "error.json").read_text())
    assert error.error_type == error_type
    assert len(error.message) <= 2000


def test_the_job_program_takes_two_files(room, tmp_path):
    words = job_file(tmp_path, room(2, steps=1), "ws://127.0.0.1:1")
    result = subprocess.run([sys.executable, "-m", "mettagrid.runner.episode_subprocess", *words], capture_output=True)
    assert result.returncode == 1
    assert (tmp_path / "error.json").exists()


@pytest.fixture
def execute(tmp_path):
    """`execute(job, **variables)`: run the executor on a job, with files for everything it sends."""

    def run(job, **variables):
        (tmp_path / "job.json").write_text(json.dumps(job))
        names = {"RESULTS": "json", "REPLAY": "json.z", "ERROR_INFO": "json", "RUNTIME_INFO": "json", "DEBUG": "zip"}
        uris = {f"{name}_URI": f"file://{tmp_path}/{name.lower()}.{end}" for name, end in names.items()}
        env = {**os.environ, "JOB_SPEC_URI": f"file://{tmp_path}/job.json", **uris, **variables}
        return subprocess.run(
            [sys.executable, "-m", "mettagrid.runner.executor"], env=env, capture_output=True, text=True
        )

    return run


def test_the_executor_plays_a_job_and_sends_everything(room, tmp_path, execute):
    secrets = tmp_path / "secrets.json"
    secrets.write_text(json.dumps({"policies": {"0": {"MY_SECRET": "mine"}}}))
    job = {
        "policy_uris": ["mock://stand_in_policies.Secretive"],
        "assignments": [0, 0],
        "env": room(2, steps=2).model_dump(mode="json"),
        "from_a_later_release": 1,
    }
    job["env"]["from_a_later_release"] = 1
    result = execute(
        job,
        POLICY_SECRETS_URI=f"file://{secrets}",
        POLICY_LOG_URLS=json.dumps({"1": f"file://{tmp_path}/agent-1.txt"}),
        GIT_COMMIT="abc",
        COGAMES_VERSION="1.2",
    )
    assert result.returncode == 0, result.stderr
    assert PureSingleEpisodeResult.model_validate_json((tmp_path / "results.json").read_text()).steps == 2
    assert (tmp_path / "replay.json.z").stat().st_size > 0
    info = RuntimeInfo.model_validate_json((tmp_path / "runtime_info.json").read_text())
    assert (info.git_commit, info.cogames_version) == ("abc", "1.2")
    assert zipfile.ZipFile(tmp_path / "debug.zip").namelist() == ["trace.json"]
    assert "MY_SECRET" in (tmp_path / "agent-1.txt").read_text()
    assert not (tmp_path / "error_info.json").exists()


def test_the_executor_tells_what_is_wrong_with_a_job(tmp_path, execute):
    assert execute({"policy_uris": []}).returncode == 1
    error = RunnerError.model_validate_json((tmp_path / "error_info.json").read_text())
    assert error.error_type == "config_error"


def test_the_executor_names_the_policy_that_failed_and_sends_the_results_of_the_others(room, tmp_path, execute):
    job = {
        "policy_uris": [WALKER, "mock://stand_in_policies.Crasher"],
        "assignments": [0, 1],
        "env": room(2, steps=6).model_dump(mode="json"),
    }
    assert execute(job).returncode == 1
    error = RunnerError.model_validate_json((tmp_path / "error_info.json").read_text())
    assert (error.error_type, error.failed_policy_index) == ("policy_error", 1)
    assert PureSingleEpisodeResult.model_validate_json((tmp_path / "results.json").read_text()).steps == 6


def test_the_executor_needs_a_job():
    env = {name: value for name, value in os.environ.items() if name != "JOB_SPEC_URI"}
    result = subprocess.run(
        [sys.executable, "-m", "mettagrid.runner.executor"], env=env, capture_output=True, text=True
    )
    assert result.returncode == 1
    assert "JOB_SPEC_URI is not set" in result.stderr
