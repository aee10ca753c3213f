"""An API server that refuses, forgets, loses responses or does not answer."""

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from coworld.engines.base import EngineError
from coworld.engines.kubernetes import cluster as cluster_module
from coworld.engines.kubernetes.cluster import ApiError
from coworld.engines.kubernetes.connection import connect
from coworld.engines.kubernetes.follower import PodFollower
from coworld.runner.kubernetes import remote
from packages.coworld.tests.kubernetes.conftest import SETTINGS, TestCluster, episode_request
from packages.coworld.tests.kubernetes.kubelet import Fate


def succeed(cluster: TestCluster) -> None:
    outcome = cluster.run(episode_request())
    assert outcome.error is None, outcome.error
    assert outcome.results == {"scores": [3.0, 3.0]}
    assert cluster.left() == []


def refuse_first(number: int, status: int, headers: dict[str, str] | None = None) -> Callable[..., Any]:
    """Refuse the first requests of each method and kind of resource."""
    counts: Counter[tuple[str, str]] = Counter()

    def fault(method: str, path: str, query: dict[str, str]) -> Any:
        kind = method, "proxy" if "/proxy/" in path else path.split("/namespaces/coworld/")[1].split("/")[0]
        counts[kind] += 1
        return (status, headers or {}, "try again") if counts[kind] <= number else None

    return fault


@pytest.mark.parametrize("status", [0, 429, 500, 503])
def test_temporary_refusals_are_retried(cluster: TestCluster, status: int) -> None:
    cluster.api.faults.append(refuse_first(3, status))
    succeed(cluster)


def test_retry_after_is_respected(cluster: TestCluster) -> None:
    waits: list[float] = []
    cluster.cluster._sleep = waits.append  # type: ignore[method-assign]
    cluster.api.faults.append(refuse_first(2, 429, {"Retry-After": "7"}))
    assert cluster.cluster.list("pods", "")[0] == []
    assert waits == [7.0, 7.0]


def test_permanent_refusals_are_not_retried(cluster: TestCluster) -> None:
    cluster.api.faults.append(lambda method, path, query: (403, {}, "pods is forbidden"))
    with pytest.raises(ApiError, match=r"answered 403 .* pods is forbidden; see docs/guides/kubernetes\.md"):
        cluster.cluster.list("pods", "")
    assert len(cluster.api.requests) == 1
    outcome = cluster.run(episode_request())
    assert outcome.error is not None and outcome.error.error_type == "platform_error"


def test_a_service_account_that_may_not_watch_lists_instead(cluster: TestCluster) -> None:
    cluster.api.faults.append(lambda method, path, query: (403, {}, "no watch") if "watch" in query else None)
    succeed(cluster)


def test_expired_versions_are_listed_again(cluster: TestCluster) -> None:
    over = threading.Event()

    def forget() -> None:
        while not over.wait(0.05):
            cluster.api.expire()

    thread = threading.Thread(target=forget)
    thread.start()
    try:
        succeed(cluster)
    finally:
        over.set()
        thread.join()


def test_objects_whose_creation_was_not_confirmed_are_adopted(cluster: TestCluster) -> None:
    cluster.api.lost_responses += ["jobs", "secrets", "services", "networkpolicies", "pods"]
    # The node creates the Job's pod directly, so the lost one is a player's.
    succeed(cluster)
    assert cluster.api.lost_responses == []


def test_an_object_of_another_episode_is_neither_used_nor_deleted(cluster: TestCluster) -> None:
    def steal(method: str, path: str, query: dict[str, str]) -> None:
        if method == "POST" and path.endswith("/services"):
            job = cluster.api.select("jobs", "coworld")[0]["metadata"]["name"]
            if not cluster.api.select("services", "coworld"):
                cluster.api.create("services", "coworld", {"metadata": {"name": job}, "spec": {"selector": {}}})

    cluster.api.faults.append(steal)
    outcome = cluster.run(episode_request())
    assert outcome.error is not None and outcome.error.error_type == "platform_error"
    assert "belongs to another run" in outcome.error.message
    while len(cluster.api.objects) > 1:
        time.sleep(0.02)
    assert [kind for kind, _, _ in cluster.api.objects] == ["services"]


def test_a_short_outage_does_not_end_an_episode(cluster: TestCluster) -> None:
    def outage() -> None:
        while not any(pod["status"].get("phase") == "Running" for pod in cluster.api.select("pods", "coworld")):
            time.sleep(0.01)
        cluster.api.down = True
        time.sleep(0.3)
        cluster.api.down = False

    thread = threading.Thread(target=outage)
    thread.start()
    try:
        succeed(cluster)
    finally:
        thread.join()


def test_a_long_outage_is_the_platforms_fault_and_what_is_left_is_swept(
    cluster: TestCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "LONGEST_PAUSE", 0.05)
    over = threading.Event()
    cluster.node.fates["worker"] = Fate(terminated=("Completed", 0), after=over.is_set)

    def outage() -> None:
        while not any(pod["status"].get("containerStatuses") for pod in cluster.api.select("pods", "coworld")):
            time.sleep(0.01)
        cluster.api.down = True

    thread = threading.Thread(target=outage)
    thread.start()
    outcome = cluster.run(episode_request(game="exits_at_once"), settings=replace(SETTINGS, outage_seconds=0.5))
    thread.join()
    assert outcome.error is not None and outcome.error.error_type == "platform_error"
    assert "does not answer" in outcome.error.message or "did not answer for 0.5 s" in outcome.error.message
    cluster.api.down = False
    over.set()
    while not (swept := remote.sweep(cluster.cluster)):
        time.sleep(0.02)
    assert len(swept) == 1
    assert cluster.left() == []


def test_a_killed_client_leaves_a_job_that_ends_by_itself(cluster: TestCluster) -> None:
    settings = replace(SETTINGS, hold_seconds=0.2)
    artifacts = remote.EpisodeArtifacts.create(cluster.folder / "killed")
    killed = remote._Remote(
        episode_request(), cluster.cluster, artifacts, remote.EpisodeOptions(budget_seconds=60), settings
    )
    killed._create()
    while not (swept := remote.sweep(cluster.cluster)):
        time.sleep(0.02)
    job = next(one for one in cluster.api.created if one["kind"] == "Job")
    assert swept == [job["metadata"]["name"]]
    assert job["spec"]["ttlSecondsAfterFinished"] > 0 and job["spec"]["activeDeadlineSeconds"] > 60
    assert cluster.left() == []


def test_a_client_killed_before_its_secret_is_swept(cluster: TestCluster) -> None:
    artifacts = remote.EpisodeArtifacts.create(cluster.folder / "killed")
    options = remote.EpisodeOptions(budget_seconds=60)
    killed = remote._Remote(episode_request(), cluster.cluster, artifacts, options, SETTINGS)
    job = cluster.cluster.create(remote.JOBS, remote.episode_job(killed._plan))["metadata"]["name"]
    assert remote.sweep(cluster.cluster) == []
    cluster.api.change(
        "jobs", "coworld", job, lambda one: one["metadata"].update(creationTimestamp="2020-01-01T00:00:00Z")
    )
    assert remote.sweep(cluster.cluster) == [job]
    assert cluster.left() == []


def test_an_interrupted_client_deletes_its_job(cluster: TestCluster) -> None:
    artifacts = remote.EpisodeArtifacts.create(cluster.folder / "interrupted")
    options = remote.EpisodeOptions(budget_seconds=60)
    run = remote._Remote(episode_request(game="never_ends"), cluster.cluster, artifacts, options, SETTINGS)

    async def interrupt() -> None:
        task = asyncio.create_task(run.play())
        while len(cluster.api.select("pods", "coworld")) < 3:
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupt())
    assert json.loads(artifacts.error_info_path.read_text())["error_type"] == "node_disruption"
    assert cluster.left() == []


def test_twenty_episodes_run_at_once(cluster: TestCluster) -> None:
    cluster.api.page_size = 7
    cluster.api.faults.append(refuse_first(5, 429))
    with ThreadPoolExecutor(20) as threads:
        outcomes = list(threads.map(lambda n: cluster.run(episode_request(), f"out-{n}"), range(20)))
    assert [outcome.error for outcome in outcomes] == [None] * 20
    assert all(outcome.results == {"scores": [3.0, 3.0]} for outcome in outcomes)
    assert cluster.left() == []


def test_pages_of_a_list_survive_their_expiry(cluster: TestCluster) -> None:
    for number in range(5):
        cluster.api.create("services", "coworld", {"metadata": {"name": f"s-{number}", "labels": {"a": "b"}}})
    cluster.api.page_size = 2
    pages = Counter[str]()

    def expire(method: str, path: str, query: dict[str, str]) -> None:
        pages["continue" in query] += 1  # type: ignore[index]
        if pages[True] == 1:  # type: ignore[index]
            pages[True] += 1  # type: ignore[index]
            cluster.api.expire()

    cluster.api.faults.append(expire)
    services, version = cluster.cluster.list("services", "a=b")
    assert [one["metadata"]["name"] for one in services] == [f"s-{number}" for number in range(5)]
    assert version == str(cluster.api.version) and pages[False] == 2  # type: ignore[index]


def test_a_follower_sees_what_happened_during_an_outage(cluster: TestCluster) -> None:
    cluster.node.close()
    pod = {"metadata": {"name": "one", "labels": {"a": "b"}}, "spec": {"containers": []}}
    cluster.api.create("pods", "coworld", pod)
    follower = PodFollower(cluster.cluster, "a=b").start()
    try:
        assert follower.wait_listed(10) and follower.pod("one") is not None
        cluster.api.down = True
        while not follower.problem:
            time.sleep(0.01)
        cluster.api.remove("pods", "coworld", "one")
        cluster.api.create("pods", "coworld", {**pod, "metadata": {"name": "two", "labels": {"a": "b"}}})
        cluster.api.expire()
        cluster.api.down = False
        while follower.pod("two") is None:
            time.sleep(0.01)
        assert follower.pod("one") is None and follower.deleted("one") is not None
        assert follower.silence == 0.0
    finally:
        follower.close()


def test_without_a_cluster_there_is_one_sentence(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineError, match=r"no Kubernetes cluster is configured: set KUBECONFIG or create"):
        connect({"HOME": str(tmp_path)})
    with pytest.raises(EngineError, match="which does not exist: name a kubeconfig"):
        connect({"KUBECONFIG": str(tmp_path / "none")})
    (tmp_path / "broken").write_text("{}")
    with pytest.raises(EngineError, match="the Kubernetes configuration cannot be used"):
        connect({"KUBECONFIG": str(tmp_path / "broken")})
    monkeypatch.setitem(__import__("sys").modules, "kubernetes", None)
    with pytest.raises(EngineError, match=r"needs the library `kubernetes`: run `pip install 'coworld\[kubernetes\]'`"):
        connect({"HOME": str(tmp_path)})
