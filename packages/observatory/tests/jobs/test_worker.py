"""The worker program against a server that listens: real processes, real boxes."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

import cogbox  # noqa: F401 - some of it is made to fail
from mettagrid.config.mettagrid_config import MettaGridConfig
from observatory.database.tables.episodes import Episode
from observatory.database.tables.jobs import Job
from observatory.database.tables.policies import SecretRead
from observatory.jobs import workers_seen
from observatory.operations.sweeping import expire
from observatory.quotas import stored_bytes
from observatory.store import job_key
from observatory.worker.client import HttpJobClient, LeaseLost
from observatory.worker.loop import Worker
from observatory.worker.machine import MachineFailed
from packages.observatory.tests.world import bundle

pytestmark = pytest.mark.any_database

SECRET = "a-value-nobody-else-may-see"

POLICY = """
import http.client, os, socket
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Quiet(AgentPolicy):
    def step(self, obs):
        return Action(name="noop")

class Mine(MultiAgentPolicy):
    def __init__(self, policy_env_info, device="cpu", **kwargs):
        super().__init__(policy_env_info, device=device)
        print("length of my key", len(os.environ.get("MY_KEY", "")), flush=True)
        print("my key is", os.environ.get("MY_KEY"), flush=True)
        try:
            socket.create_connection(("127.0.0.1", PORT), timeout=2)
            print("reached the server", flush=True)
        except OSError as problem:
            print("no network", flush=True)
        try:
            proxy = http.client.HTTPConnection("127.0.0.1", 3128, timeout=5)
            proxy.request("GET", "http://127.0.0.1:PORT/healthz")
            print("granted" if proxy.getresponse().status == 200 else "not granted", flush=True)
        except OSError as problem:
            print("not granted", flush=True)
        if os.environ.get("MY_KEY") and CRASH:
            raise ValueError("the key " + os.environ["MY_KEY"] + " does not work")
    def agent_policy(self, agent_id):
        return Quiet(self._policy_env_info)
"""


def spec(policies: list[str], *, seats: list[int], steps: int = 10) -> dict[str, Any]:
    env = MettaGridConfig.EmptyRoom(num_agents=len(seats), width=6, height=6)
    env.game.max_steps = steps
    return {"policy_uris": policies, "assignments": seats, "env": env.model_dump(mode="json"), "seed": 1}


@pytest.fixture
def token(client: TestClient, admin: Any) -> str:
    return client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]


@pytest.fixture
def queue(client: TestClient, admin: Any) -> Callable[..., str]:
    def put(*arguments: Any, **options: Any) -> str:
        body = [{"job": spec(*arguments, **options)}]
        return client.post("/jobs/batch", json=body, headers=admin.headers).json()[0]

    return put


@pytest.fixture
def job(client: TestClient, admin: Any) -> Callable[[str], dict[str, Any]]:
    return lambda job_id: client.get(f"/jobs/{job_id}", headers=admin.headers).json()


def wait_until(condition: Callable[[], bool], *, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_episode_is_played_in_boxes_and_its_files_arrive(server: Any, token: str, queue: Any, job: Any) -> None:
    job_id = queue(["metta://policy/random", "metta://policy/noop"], seats=[0, 1])
    client = HttpJobClient(server.url, token)
    Worker(client, "one").run(once=True)
    client.close()
    done = job(job_id)
    assert (done["status"], done["error"], done["worker"]) == ("completed", None, "one")
    assert done["result"]["steps"] == 10 and len(done["result"]["rewards"]) == 2
    store = server.app.state.store
    assert store.size(job_key(job_id, "replay.json.z")) > 100
    names = {key.rpartition("/")[2] for key in store.keys(f"jobs/{job_id}/")}
    assert names >= {
        "results.json",
        "replay.json.z",
        "spec.json",
        "logs.txt",
        "policy_agent_0.txt",
        "policy_agent_1.txt",
    }
    assert not any("attempt" in key for key in store.keys(f"jobs/{job_id}/"))
    with server.app.state.database.read() as session:
        assert workers_seen.count(session, server.app.state.clock()) == 1


def upload(client: TestClient, account: Any, source: str, **secrets: str) -> str:
    """A policy of an account, by the published calls; its version's id."""
    place = client.post("/stats/policies/submit/presigned-url", headers=account.headers).json()
    data = bundle({"my_policy.py": source})
    assert client.put(place["upload_url"], content=data, headers={"Content-Type": "application/zip"}).is_success
    body = {"upload_id": place["upload_id"], "name": "mine", "policy_secret_env": secrets}
    answer = client.post("/stats/policies/submit/complete", json=body, headers=account.headers)
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


def test_secrets_and_network_reach_the_policy_they_were_given_to_and_nothing_else(
    server: Any, client: TestClient, token: str, ada: Any, bob: Any, admin: Any, queue: Any, job: Any, caplog: Any
) -> None:
    source = POLICY.replace("PORT", server.url.rpartition(":")[2])
    versions = [
        upload(client, ada, source.replace("CRASH", "False"), MY_KEY=SECRET),
        upload(client, bob, source.replace("CRASH", "False")),
        upload(client, ada, source.replace("CRASH", "True"), MY_KEY=SECRET),
    ]
    # An operator grants bob's policy one address; the others have no network.
    grant = {"host": server.url.removeprefix("http://")}
    answer = client.post(f"/stats/policy-versions/{versions[1]}/network", json=grant, headers=admin.headers)
    assert answer.status_code == 200, answer.text
    job_id = queue([f"metta://policy/{version}" for version in versions], seats=[0, 1, 2])
    jobs = HttpJobClient(server.url, token)
    Worker(jobs, "one").run(once=True)
    jobs.close()
    done = job(job_id)
    store = server.app.state.store
    logs = [store.get(job_key(job_id, f"policy_agent_{agent}.txt")).decode() for agent in range(3)]
    assert f"length of my key {len(SECRET)}" in logs[0] and "my key is [secret]" in logs[0]
    assert "my key is None" in logs[1]
    assert all("no network" in log and "reached" not in log for log in logs[:2])
    assert "not granted" in logs[0] and "not granted" not in logs[1] and "granted" in logs[1]
    # The one that crashed is named; the others played on, and what it said of its secret is struck out.
    assert (done["status"], done["error_type"]) == ("failed", "policy_error")
    assert "[secret]" in done["error"] and done["result"]["steps"] == 10
    error = json.loads(store.get(job_key(job_id, "error_info.json")))
    assert (error["failed_policy_index"], error["failed_policy_name"]) == (2, "mine:v2")
    for key in store.keys(""):
        assert SECRET.encode() not in store.get(key), key
    assert SECRET not in caplog.text and SECRET not in str(done)
    with server.app.state.database.read() as session:
        reads = session.scalars(select(SecretRead)).all()
    assert sorted(str(read.policy_version_id) for read in reads) == sorted([versions[0], versions[2]])


def test_secrets_are_given_once_for_a_lease(
    server: Any, client: TestClient, token: str, ada: Any, queue: Any, world: Any
) -> None:
    version = world.version(ada, secrets={"MY_KEY": SECRET})
    queue([f"metta://policy/{version}"], seats=[0])
    jobs = HttpJobClient(server.url, token)
    lease = jobs.lease("one", wait_seconds=0)
    assert lease.policies[0].has_secrets and SECRET not in lease.model_dump_json()
    assert jobs.secrets(lease) == {0: {"MY_KEY": SECRET}}
    with pytest.raises(LeaseLost):
        jobs.secrets(lease)
    jobs.close()


class Killed(BaseException):
    """Stands for a worker that is gone from one line to the next."""


class Mortal(HttpJobClient):
    """Dies when a call is made for the first time, or, after `done`, when it has come back."""

    def __init__(self, server: str, token: str, call: str, *, done: bool = False) -> None:
        super().__init__(server, token)
        before = getattr(self, call)

        def die(*arguments: Any, **options: Any) -> None:
            if done:
                before(*arguments, **options)
            raise Killed

        setattr(self, call, die)


def test_a_worker_may_die_at_any_step_and_the_job_is_completed_once(
    server: Any, token: str, queue: Any, job: Any, clock: Any
) -> None:
    server.app.state.settings.max_job_attempts = 10
    job_id = queue(["metta://policy/noop"], seats=[0])
    deaths = [("lease", True), ("heartbeat", False), ("upload", True), ("finish", False), ("finish", True)]
    for call, done in deaths:
        client = Mortal(server.url, token, call, done=done)
        with pytest.raises(Killed):
            Worker(client, call).run(once=True)
        client.close()
        clock.advance(61)
    assert (job(job_id)["status"], job(job_id)["attempts"]) == ("completed", 5)
    client = HttpJobClient(server.url, token)
    assert client.lease("another", wait_seconds=0) is None
    client.close()
    with server.app.state.database.read() as session:
        assert session.scalar(select(func.count()).select_from(Episode)) == 1


def full_disk(*arguments: Any, **options: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def closed_folder(*arguments: Any, **options: Any) -> None:
    raise PermissionError(errno.EACCES, "Permission denied")


def ended_process(*arguments: Any, **options: Any) -> None:
    os._exit(9)


FAULTS = {
    "no room for a temporary folder": ("observatory.worker.loop.tempfile.mkdtemp", full_disk),
    "no room for a bundle": ("observatory.worker.client.HttpJobClient.download", full_disk),
    "no room to unpack a bundle": ("mettagrid.runner.boxed.material.unpacked_bundle", full_disk),
    "an unreadable cache": ("mettagrid.runner.boxed.material.unpacked_bundle", closed_folder),
    "no room for a box": ("cogbox._folders.BoxFolder.__init__", full_disk),
    "no room for the files of a box": (sys.modules["cogbox.sandbox"], "_put_files", full_disk),
    "no room for the replay": ("mettagrid.simulator.replay_log_writer.EpisodeReplay.write_replay", full_disk),
    "a missing sandbox program": ("cogbox.box.guard_path", lambda: Path("/nowhere/guard")),
    "no sandbox at all": (sys.modules["cogbox.sandbox"], "_sweep_once", full_disk),
    "a killed episode": ("mettagrid.runner.boxed.job.play_episode", ended_process),
    "an episode that eats memory": ("observatory.worker.machine.memory_of", lambda pid: 1 << 40),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_machine_fault_blames_no_policy_and_the_job_is_retried(
    server: Any, client: TestClient, token: str, ada: Any, queue: Any, job: Any, monkeypatch: Any, fault: str
) -> None:
    version = upload(client, ada, POLICY.replace("PORT", "1").replace("CRASH", "False"))
    job_id = queue([f"metta://policy/{version}"], seats=[0])
    jobs = HttpJobClient(server.url, token)
    with monkeypatch.context() as patch:
        patch.setattr(*FAULTS[fault])
        worker = Worker(jobs, "unlucky")
        worker._context = multiprocessing.get_context("fork")  # the fault is to be met in the episode's process, too
        worker.run(once=True)
    waiting = job(job_id)
    assert (waiting["status"], waiting["error"], waiting["attempts"]) == ("pending", None, 1)
    Worker(jobs, "lucky").run(once=True)
    jobs.close()
    done = job(job_id)
    assert (done["status"], done["error"], done["worker"], done["attempts"]) == ("completed", None, "lucky", 2)


def test_a_job_with_repeated_machine_faults_fails_without_blame(
    server: Any, token: str, queue: Any, job: Any, monkeypatch: Any
) -> None:
    job_id = queue(["metta://policy/noop"], seats=[0])
    jobs = HttpJobClient(server.url, token)
    monkeypatch.setattr("observatory.worker.loop.tempfile.mkdtemp", full_disk)
    for _ in range(3):
        Worker(jobs, "unlucky").run(once=True)
    jobs.close()
    done = job(job_id)
    assert (done["status"], done["error_type"], done["attempts"]) == ("failed", "internal_error", 3)
    assert done["error"] == "3 machines failed while they played this episode; no policy is at fault"
    with server.app.state.database.read() as session:
        assert session.get_one(Job, uuid.UUID(job_id)).failed_policy_index is None


def test_a_worker_without_disk_space_leases_no_job(
    server: Any, token: str, queue: Any, job: Any, monkeypatch: Any
) -> None:
    job_id = queue(["metta://policy/noop"], seats=[0])
    jobs = HttpJobClient(server.url, token)
    monkeypatch.setattr("observatory.worker.machine.MIN_FREE_BYTES", 1 << 60)
    with pytest.raises(MachineFailed, match="MB are free for temporary files"):
        Worker(jobs, "full").run(once=True)
    jobs.close()
    assert (job(job_id)["status"], job(job_id)["attempts"]) == ("pending", 0)


@pytest.fixture
def program(server: Any, token: str, tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts `observatory worker`."""
    token_file = tmp_path / "token"
    token_file.write_text(token)
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "observatory",
            "worker",
            "--server",
            server.url,
            "--token-file",
            str(token_file),
        ]
        started.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_a_worker_killed_in_the_middle_leaves_a_job_that_the_next_one_plays(
    program: Any, queue: Any, job: Any, clock: Any
) -> None:
    job_id = queue(["metta://policy/noop"], seats=[0], steps=2_000_000)
    first = program()
    wait_until(lambda: job(job_id)["status"] == "running")
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert job(job_id)["status"] == "running"
    clock.advance(61)
    second = program()
    wait_until(lambda: job(job_id)["attempts"] == 2 and job(job_id)["status"] == "running")
    # A stopped worker returns its job at once.
    second.send_signal(signal.SIGINT)
    assert second.wait(30) == 0
    assert job(job_id)["status"] == "pending"


LOUD = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Quiet(AgentPolicy):
    def step(self, obs):
        return Action(name="noop")

class Mine(MultiAgentPolicy):
    def __init__(self, policy_env_info, device="cpu", **kwargs):
        super().__init__(policy_env_info, device=device)
        print("the first line")
        for _ in range(100):
            print("x" * 50_000)
        print("the last line")
    def agent_policy(self, agent_id):
        return Quiet(self._policy_env_info)
"""


def test_logs_are_truncated_count_against_their_owner_and_expire(
    server: Any, client: TestClient, token: str, ada: Any, bob: Any, queue: Any, job: Any, clock: Any
) -> None:
    state = server.app.state
    version = upload(client, ada, LOUD)
    with state.database.read() as session:
        bundle_bytes = stored_bytes(session, ada.user_id)
    jobs = HttpJobClient(server.url, token)
    played = [queue([f"metta://policy/{version}"], seats=[0, 0, 0, 0]) for _ in range(3)]
    for _ in played:
        Worker(jobs, "one").run(once=True)
    keys = [key for job_id in played for key in state.store.keys(f"jobs/{job_id}/") if key.endswith("0.txt")]
    assert keys == [job_key(job_id, "policy_agent_0.txt") for job_id in played]
    sizes = [state.store.size(key) for key in keys]
    assert all(1_000_000 < size < 1_100_000 for size in sizes)  # of five megabytes in each of them
    log = state.store.get(keys[0]).decode()
    assert log.startswith("the first line\n") and log.endswith("the last line\n") and "were left out here" in log
    with state.database.read() as session:
        assert stored_bytes(session, ada.user_id) == bundle_bytes + sum(sizes)
        assert stored_bytes(session, bob.user_id) == 0
    # Without room left the episode counts, and the log is not kept.
    state.settings.max_stored_bytes_per_user = bundle_bytes + sum(sizes) + 1000
    last = queue([f"metta://policy/{version}"], seats=[0])
    Worker(jobs, "one").run(once=True)
    jobs.close()
    assert job(last)["status"] == "completed"
    assert state.store.size(job_key(last, "policy_agent_0.txt")) is None
    clock.advance(29 * 24 * 3600)
    expire(state.database, state.store, state.settings, clock())
    assert [state.store.size(key) for key in keys] == sizes
    clock.advance(2 * 24 * 3600)
    expire(state.database, state.store, state.settings, clock())
    assert [state.store.size(key) for key in keys] == [None] * 3
    with state.database.read() as session:
        assert stored_bytes(session, ada.user_id) == bundle_bytes
    replays = [job_key(job_id, "replay.json.z") for job_id in played]
    assert all(state.store.size(key) for key in replays)
    clock.advance(365 * 24 * 3600)
    for _ in range(2):
        expire(state.database, state.store, state.settings, clock())
        assert [state.store.size(key) for key in replays] == [None] * 3
    assert job(played[0])["result"]["steps"] == 10
