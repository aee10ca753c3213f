"""The programs of a Job that a platform creates: variables in, files at URIs out."""

import json
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from coworld.manifest.tokens import generate_tokens
from coworld.models.requests import CoworldEpisodeJobSpec
from coworld.models.runnables import CoworldPlayerStartup
from coworld.runner import kubernetes_runner
from coworld.runner.kubernetes.endpoints import WorkerEndpoints
from coworld.runner.kubernetes.final_logs import final_logs
from coworld.runner.kubernetes.job import JobPlan, episode_job
from coworld.runner.kubernetes.remote import JOBS
from coworld.runner.kubernetes.settings import OUTPUTS
from packages.coworld.tests.kubernetes import programs
from packages.coworld.tests.kubernetes.conftest import RUNNER_IMAGE, TestCluster, episode_request
from packages.coworld.tests.kubernetes.uploads import UploadServer
from packages.coworld.tests.worlds import HOSTED, hosted_world


@pytest.fixture
def uploads() -> Iterator[UploadServer]:
    server = UploadServer()
    yield server
    server.close()


def play(
    cluster: TestCluster,
    uploads: UploadServer,
    request: CoworldEpisodeJobSpec,
    launches: bool = True,
    **variables: str,
) -> str:
    """Run a platform's Job; return how it ended."""
    uploads.files["spec"] = request.model_dump_json(by_alias=True, exclude_none=True).encode()
    slots = range(len(request.players))
    plan = JobPlan(
        name="episode-1",
        job_id="one",
        namespace="coworld",
        request=request,
        runner_image=RUNNER_IMAGE,
        spec_uri=f"{uploads.url}/spec",
        timeout_seconds=60,
        variables={
            **{name: f"{uploads.url}/{name}" for name in OUTPUTS if name != "FINAL_LOGS_URI"},
            "POLICY_LOG_URLS": json.dumps({slot: f"{uploads.url}/log-{slot}" for slot in slots}),
            "PLAYER_ARTIFACT_UPLOAD_URLS": json.dumps({slot: f"{uploads.url}/artifact-{slot}" for slot in slots}),
            **variables,
        },
    )
    job = episode_job(plan)
    if not launches:
        job["spec"]["template"]["spec"]["initContainers"].pop()
    cluster.cluster.create(JOBS, job)
    while True:
        job = cluster.api.select("jobs", "coworld")[0]
        if job.get("status"):
            return str(job["status"]["conditions"][0]["type"])
        time.sleep(0.02)


def test_outputs_are_published_in_order(cluster: TestCluster, uploads: UploadServer) -> None:
    uploads.files["secrets"] = json.dumps({"policies": {"1": {"KEY": "a-long-secret"}}}).encode()
    secrets = {"POLICY_SECRETS_URI": f"{uploads.url}/secrets", "COWORLD_PLAYER_CPU_LIMIT": "2500m"}
    assert play(cluster, uploads, episode_request(), **secrets) == "Complete"
    assert uploads.order == [
        "PLAYER_STATUS_URI",
        "RESULTS_URI",
        "REPLAY_URI",
        "EVENTS_URI",
        "DEBUG_URI",
        "log-0",
        "log-1",
        "artifact-0",
        "artifact-1",
        "WORKER_TIMINGS_URI",
    ]
    assert json.loads(uploads.uploads["RESULTS_URI"]) == {"scores": [3.0, 3.0]}
    assert uploads.uploads["artifact-1"].startswith(b"PK")
    assert b"no key and 2 threads" in uploads.uploads["log-0"] and b"redacted-" in uploads.uploads["log-1"]
    phases = [phase["name"] for phase in json.loads(uploads.uploads["WORKER_TIMINGS_URI"])["phases"]]
    assert phases[:4] == ["health", "probes", "start_players", "play"]
    # The worker deletes what it created; the Job and its pod belong to the platform.
    kinds = sorted(kind for kind, _, _ in cluster.api.objects)
    assert kinds == ["jobs", "pods"]
    cluster.cluster.delete(JOBS, "episode-1")
    assert cluster.left() == []


def test_a_worker_creates_the_players_where_no_init_container_does(cluster: TestCluster, uploads: UploadServer) -> None:
    assert play(cluster, uploads, episode_request(), launches=False) == "Complete"
    assert json.loads(uploads.uploads["RESULTS_URI"]) == {"scores": [3.0, 3.0]}


@pytest.mark.parametrize(("script", "end"), [("good", "Complete"), ("never_warm", "Failed")])
def test_a_player_with_a_start_up_page_is_ready_before_the_game(
    cluster: TestCluster, uploads: UploadServer, script: str, end: str
) -> None:
    request = episode_request(players=(script, "good"))
    startup = CoworldPlayerStartup(port=9500, path="/ready", timeout_seconds=60 if script == "good" else 1)
    request.players[0] = request.players[0].model_copy(update={"startup": startup})
    assert play(cluster, uploads, request) == end
    pods = [one for one in cluster.api.created if one["metadata"]["name"].endswith("-player-0")]
    assert pods[0]["spec"]["initContainers"] == []
    if script == "good":
        assert json.loads(uploads.uploads["RESULTS_URI"]) == {"scores": [3.0, 3.0]}
    else:
        error = json.loads(uploads.uploads["ERROR_INFO_URI"])
        assert (error["error_type"], error["failed_policy_index"]) == ("player_error", 0)
        assert "was not ready within 1 s" in error["message"]
        assert sorted(kind for kind, _, _ in cluster.api.objects) == ["jobs", "pods"]


def test_a_failure_is_published_before_anything_is_deleted(cluster: TestCluster, uploads: UploadServer) -> None:
    request = episode_request(game="no_results", certifies=True)
    request.players[1].env["SCRIPT"] = "crashes"  # type: ignore[union-attr]
    assert play(cluster, uploads, request) == "Failed"
    assert uploads.order[0] == "ERROR_INFO_URI" and "RESULTS_URI" not in uploads.order
    error = json.loads(uploads.uploads["ERROR_INFO_URI"])
    assert (error["error_type"], error["failed_policy_index"]) == ("player_error", 1)
    assert {"PLAYER_STATUS_URI", "DEBUG_URI", "log-0", "log-1"} <= set(uploads.order)


def test_an_output_that_cannot_be_written_is_a_transport_error(cluster: TestCluster, uploads: UploadServer) -> None:
    uploads.refuse.add("REPLAY_URI")
    assert play(cluster, uploads, episode_request()) == "Failed"
    error = json.loads(uploads.uploads["ERROR_INFO_URI"])
    assert error["error_type"] == "artifact_transport_error" and "replay could not be published" in error["message"]


def test_a_replay_that_the_platform_wants_must_exist(cluster: TestCluster, uploads: UploadServer) -> None:
    assert play(cluster, uploads, episode_request(game="no_replay")) == "Failed"
    assert json.loads(uploads.uploads["ERROR_INFO_URI"])["error_type"] == "replay_missing"


def test_init_failures_are_published(cluster: TestCluster, uploads: UploadServer) -> None:
    assert play(cluster, uploads, episode_request(ticks="many")) == "Failed"
    assert json.loads(uploads.uploads["ERROR_INFO_URI"])["error_type"] == "config_error"


def hosted_request(folder: Path) -> tuple[Any, CoworldEpisodeJobSpec]:
    from coworld.runner.episode_request import fixture_request
    from coworld.runner.player_files import fixture_player_files, player_file_spec

    package = hosted_world(folder, "lingers")
    files = [player_file_spec(path) for path in fixture_player_files(package)]
    return package, fixture_request(package, player_files=files)


def test_a_game_that_hosts_its_players_gets_their_files(cluster: TestCluster, tmp_path: Path) -> None:
    from coworld.runner.kubernetes.remote_engine import RemoteEngine
    from coworld.runner.runner import run_episode

    cluster.node.programs[HOSTED] = programs.game
    package, request = hosted_request(tmp_path)
    environ = {"KUBECONFIG": str(cluster.kubeconfig), "COWORLD_RUNNER_IMAGE": RUNNER_IMAGE}
    engine = RemoteEngine.of(environ)
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out", budget_seconds=60)
    assert outcome.error is None and outcome.results == {"scores": [1.0, 2.0]}
    assert (tmp_path / "out" / "logs" / "policy_agent_1.log").read_text() == "slot 1 says 2.5\n"
    assert cluster.left() == []


@pytest.mark.parametrize(
    ("files", "error", "words"),
    [
        ({"0": "f0"}, "config_error", "PLAYER_FILE_URLS must name the slots"),
        ({"0": "f0", "1": "none"}, "player_file_unavailable", "the file of slot 1"),
        ({"0": "f0", "1": "f0"}, "player_file_mismatch", "the file of slot 1"),
    ],
)
def test_player_files_are_checked(
    cluster: TestCluster, uploads: UploadServer, tmp_path: Path, files: dict[str, str], error: str, words: str
) -> None:
    _, request = hosted_request(tmp_path)
    uploads.files["f0"] = b"1.5"
    urls = json.dumps({slot: f"{uploads.url}/{name}" for slot, name in files.items()})
    assert play(cluster, uploads, request, PLAYER_FILE_URLS=urls) == "Failed"
    document = json.loads(uploads.uploads["ERROR_INFO_URI"])
    assert document["error_type"] == error and words in document["message"]


def test_only_the_owner_of_a_seat_uploads_its_artifact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from coworld.runner.kubernetes import endpoints as module

    monkeypatch.setattr(module, "LARGEST_ARTIFACT", 100)
    tokens = generate_tokens(2)
    endpoints = WorkerEndpoints("127.0.0.1", health_port=0, artifact_port=0, artifacts=tmp_path, tokens=tokens)
    health, artifacts = (server.server_port for server in endpoints._servers)
    try:

        def ask(port: int, method: str, path: str, body: bytes | None = None) -> int:
            connection = HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request(method, path, body)
            status = connection.getresponse().status
            connection.close()
            return status

        path = f"/player-artifact/1/{tokens[1]}"
        assert ask(artifacts, "PUT", path, b"first") == ask(artifacts, "PUT", path, b"second") == 200
        assert (tmp_path / "policy_artifact_1.zip").read_bytes() == b"second"
        bad = [f"/player-artifact/0/{tokens[1]}", "/player-artifact/2/x", "/player-artifact/-1/x", "/x" + path]
        assert {ask(artifacts, "PUT", one, b"x") for one in bad} == {403}
        assert ask(artifacts, "PUT", path, b"x" * 101) == 413
        assert ask(artifacts, "GET", "/outputs") == 403
        assert ask(health, "GET", "/players-ready") == 503
        endpoints.players_ready.set()
        assert ask(health, "GET", "/players-ready") == ask(health, "GET", "/healthz") == 200
        assert [path.name for path in tmp_path.iterdir()] == ["policy_artifact_1.zip"]
    finally:
        endpoints.close()


def test_the_last_logs_are_uploaded_when_the_worker_has_ended(cluster: TestCluster, uploads: UploadServer) -> None:
    variables = {"FINAL_LOGS_URI": f"{uploads.url}/final"}
    assert play(cluster, uploads, episode_request(), **variables) == "Complete"
    pod = next(one for one in cluster.api.select("pods", "coworld") if "player" not in one["metadata"]["name"])
    environ = {
        **variables,
        "KUBECONFIG": str(cluster.node.kubeconfig),
        "POD_NAME": pod["metadata"]["name"],
        "POD_UID": pod["metadata"]["uid"],
        "JOB_NAMESPACE": "coworld",
    }
    stop = threading.Event()
    stop.set()
    assert final_logs(environ, stop) == 0
    document = json.loads(uploads.uploads["final"])
    assert document["pod_uid"] == pod["metadata"]["uid"]
    assert "a viewer connected" in document["containers"]["game"]["log"]
    cluster.api.down = True
    assert final_logs({**environ, "FINAL_LOGS_URI": str(cluster.folder / "final.json")}, stop) == 0
    assert "problem" in json.loads((cluster.folder / "final.json").read_text())["containers"]["worker"]
    cluster.api.down = False


def test_missing_variables_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert kubernetes_runner.main(["run"], {"JOB_SPEC_URI": "/none"}) == 1
    assert "JOB_ID is not set" in capsys.readouterr().err
    assert kubernetes_runner.main(["init-config"], {"JOB_SPEC_URI": "/none"}) == 1
    assert json.loads(capsys.readouterr().err)["error_type"] == "config_error"
    assert kubernetes_runner.main(["fly"], {}) == 2
    assert "usage: python -m coworld.runner.kubernetes_runner {init-config" in capsys.readouterr().err
