"""Setup scripts reach the package index by a grant of an administrator, which is recorded."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from mettagrid.policy import bundle_cache
from mettagrid.runner.boxed import setup
from observatory.store import job_key
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.mettagrid.tests.runner.boxed.local_index import (
    CREDENTIALS,
    PASSWORD,
    USER,
    LocalIndex,
    write_wheel,
)
from packages.observatory.tests.jobs.test_worker import spec
from packages.observatory.tests.world import World, bundle
from tests.warm import WarmProgram

INDEX = "@package-index"

POLICY = """
import smallthing
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action

class Quiet(AgentPolicy):
    def step(self, obs):
        return Action(name="noop")

class Mine(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Quiet(self._policy_env_info)
"""
PREPARE = """
import os, subprocess, sys
print(dict(os.environ))
subprocess.run([sys.executable, "-m", "pip", "install", "smallthing"], check=True)
"""


@pytest.fixture
def token(client: TestClient, admin: Any) -> str:
    return client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]


def leased(client: TestClient, admin: Any, token: str, version: object) -> dict[str, Any]:
    """The policy of a job with this version, as a worker gets it."""
    client.post("/jobs/batch", json=[{"job": spec([f"metta://policy/{version}"], seats=[0])}], headers=admin.headers)
    lease = client.post("/work/lease", json={"worker": "hand"}, headers={"X-Auth-Token": token}).json()
    return lease["policies"][0]


def test_a_grant_of_the_index_names_its_operator(
    client: TestClient, world: World, ada: Any, admin: Any, token: str
) -> None:
    version = world.version(ada, secrets={"KEY": "value"})
    path = f"/stats/policy-versions/{version}/network"
    assert leased(client, admin, token, version)["package_index"] is False
    assert client.post(path, json={"host": INDEX}, headers=ada.headers).status_code == 403
    rows = client.post(path, json={"host": INDEX}, headers=admin.headers).json()
    [row] = [row for row in rows if row["host"] == INDEX]
    assert (row["granted_by"], row["scope"], row["reason"]) == (admin.user_id, "version", "operator")
    policy = leased(client, admin, token, version)
    assert policy["package_index"] is True and INDEX not in policy["egress"]
    assert leased(client, admin, token, world.version(ada))["package_index"] is False, "another version"
    assert client.delete(f"{path}/{INDEX}", headers=ada.headers).status_code == 403
    assert INDEX not in str(client.delete(f"{path}/{INDEX}", headers=admin.headers).json())
    assert client.delete(f"{path}/{INDEX}", headers=admin.headers).status_code == 404
    assert leased(client, admin, token, version)["package_index"] is False
    log = client.get("/observatory/api/admin/audit", headers=admin.headers).json()
    assert [(entry["action"], entry["actor"]) for entry in log if entry["action"].startswith("network.")] == [
        ("network.revoke", admin.email),
        ("network.grant", admin.email),
    ]
    assert log[0]["details"] == {
        "host": INDEX,
        "scope": "version",
        "owner": ada.email,
        "policy": "mine:v1",
        "policy_version_id": str(version),
    }
    assert client.get("/observatory/api/admin/audit", headers=ada.headers).status_code == 403


def test_a_grant_for_an_owner_holds_for_future_versions(
    client: TestClient, world: World, ada: Any, bob: Any, admin: Any, token: str
) -> None:
    version, other = world.version(ada), world.version(bob)
    path = f"/stats/policy-versions/{version}/network"
    client.post(path, json={"host": INDEX, "scope": "owner"}, headers=admin.headers)
    client.post(path, json={"host": "data.example.com", "scope": "owner"}, headers=admin.headers)
    policy = leased(client, admin, token, world.version(ada, "later"))
    assert (policy["package_index"], policy["egress"]) == (True, ["data.example.com"])
    assert leased(client, admin, token, other)["package_index"] is False
    assert client.delete(f"{path}/{INDEX}?scope=owner", headers=admin.headers).status_code == 200
    assert leased(client, admin, token, version)["package_index"] is False


def test_a_bundle_cannot_grant_itself_the_index(client: TestClient, ada: Any) -> None:
    place = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    data = bundle({"my_policy.py": ""}, network_hosts=[INDEX])
    assert client.put(place["upload_url"], content=data, headers={"Content-Type": "application/zip"}).is_success
    body = {"upload_id": place["upload_id"], "name": "sly", "policy_secret_env": {"KEY": "x"}}
    refused = client.post("/stats/policies/submit/complete", json=body, headers=ada.headers)
    assert refused.status_code == 400 and "not a host name" in refused.json()["detail"]


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_the_command_grants_lists_and_revokes(
    server: Any, world: World, ada: Any, admin: Any, tmp_path: Path, observatory_program: WarmProgram
) -> None:
    world.version(ada, "mine")
    (tmp_path / "token").write_text(admin.token)

    def run(*words: str) -> str:
        where = ["admin", "--server", server.url, "--token-file", str(tmp_path / "token")]
        ran = observatory_program.run(*where, *words)
        return ran.stdout + ran.stderr

    assert "@package-index  owner" in run("network", "grant", "mine:v1", INDEX, "--owner")
    assert "@package-index  owner" in run("network", "list", "mine:v1")
    assert "No hosts" in run("network", "revoke", "mine:v1", INDEX, "--owner")
    assert "No policy mine:v2" in run("network", "list", "mine:v2")
    lines = run("audit").splitlines()[2:]
    assert [line.split()[1:3] for line in lines] == [[admin.email, "network.revoke"], [admin.email, "network.grant"]]
    assert f"host={INDEX} scope=owner owner={ada.email}" in lines[0]


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_a_worker_installs_packages_for_a_policy_with_the_grant_and_refuses_them_without(
    server: Any,
    client: TestClient,
    ada: Any,
    admin: Any,
    token: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(bundle_cache, "DEFAULT_POLICY_CACHE_DIR", tmp_path / "cache")
    place = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    data = bundle({"my_policy.py": POLICY, "prepare.py": PREPARE}, setup_script="prepare.py")
    assert client.put(place["upload_url"], content=data, headers={"Content-Type": "application/zip"}).is_success
    body = {"upload_id": place["upload_id"], "name": "mine"}
    version = client.post("/stats/policies/submit/complete", json=body, headers=ada.headers).json()["id"]
    caplog.set_level("DEBUG")

    def play() -> dict[str, Any]:
        job = {"job": spec([f"metta://policy/{version}"], seats=[0], steps=3)}
        [job_id] = client.post("/jobs/batch", json=[job], headers=admin.headers).json()
        jobs = HttpJobClient(server.url, token)
        worker = Worker(jobs, "one")
        worker._context = multiprocessing.get_context("fork")  # with the environment of this test
        worker.run(once=True)
        jobs.close()
        return client.get(f"/jobs/{job_id}", headers=admin.headers).json()

    with LocalIndex() as index:
        index.offer(write_wheel(tmp_path / "wheels", "smallthing", ""))
        for name in ("FIND_LINKS", "EXTRA_INDEX_URL", "NO_INDEX"):
            monkeypatch.delenv(f"PIP_{name}", raising=False)
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://{USER}:{quote(PASSWORD, safe='')}@{index.place}/simple")
        setup.package_index.cache_clear()
        refused = play()
        assert (refused["status"], refused["error_type"]) == ("failed", "policy_error")
        assert index.asked == []
        log = server.app.state.store.get(job_key(refused["id"], "policy_agent_0.txt")).decode()
        assert "has no grant for the package index" in log
        path = f"/stats/policy-versions/{version}/network"
        assert client.post(path, json={"host": INDEX}, headers=admin.headers).status_code == 200
        played = play()
        assert (played["status"], played["error"]) == ("completed", None)
    setup.package_index.cache_clear()
    store = server.app.state.store
    stored = [store.get(key).decode(errors="replace") for key in store.keys("jobs/")]
    for text in (*stored, caplog.text):
        assert PASSWORD not in text and quote(PASSWORD, safe="") not in text and CREDENTIALS not in text
