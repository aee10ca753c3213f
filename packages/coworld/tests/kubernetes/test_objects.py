"""The objects are valid for a real API server, and the roles grant exactly what the programs do."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from coworld.engines.kubernetes.player_pods import pull_policy, thread_variables
from packages.coworld.tests.kubernetes.conftest import TestCluster, episode_request
from tests.support import ROOT, require_tool

BASE = ROOT / "deploy" / "kubernetes"
VERSIONS = ("1.25", "1.37")
"""the oldest that the guide names, and the newest"""


def check(document: Any) -> None:
    for version in VERSIONS:
        kubernetes_validate.validate(document, version, strict=True)


@pytest.fixture(scope="module")
def rendered() -> list[Any]:
    """The base as `kubectl` renders it."""
    kubectl = require_tool("kubectl")
    answer = subprocess.run([kubectl, "kustomize", str(BASE)], capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stderr
    return list(yaml.safe_load_all(answer.stdout))


def test_the_base_renders_to_valid_objects(rendered: list[Any]) -> None:
    kinds = sorted(document["kind"] for document in rendered)
    assert kinds == sorted(
        ["Namespace", "NetworkPolicy", "NetworkPolicy"] + ["Role", "RoleBinding", "ServiceAccount"] * 2
    )
    for document in rendered:
        check(document)
        assert document["kind"] == "Namespace" or document["metadata"]["namespace"] == "coworld"


def test_every_created_object_is_valid(cluster: TestCluster) -> None:
    request = episode_request(certifies=True)
    request.manifest.game.runnable.resources = request.players[0].resources  # type: ignore[union-attr]
    assert cluster.run(request, secret_env={"KEY": "a secret"}).error is None
    kinds = {document["kind"] for document in cluster.api.created}
    assert kinds == {"Job", "Secret", "Service", "NetworkPolicy", "Pod"}
    for document in cluster.api.created:
        check(document)
    job = next(document for document in cluster.api.created if document["kind"] == "Job")
    job["spec"]["template"]["spec"]["containers"][0]["imagePulPolicy"] = "Always"
    with pytest.raises(kubernetes_validate.ValidationError, match="imagePulPolicy"):
        check(job)
    assert cluster.left() == []


def test_the_roles_grant_what_is_used_and_nothing_else(cluster: TestCluster) -> None:
    # 409 makes both look at what exists; a failing pod makes the client read a log.
    cluster.api.lost_responses += ["jobs", "secrets", "services", "networkpolicies", "pods"]
    assert cluster.run(episode_request()).error is None
    assert cluster.run(episode_request(ticks="many"), "second").error is not None
    from coworld.runner.kubernetes.remote import sweep

    sweep(cluster.cluster)
    granted: dict[str, set[tuple[str, str, str]]] = {}
    for name, user in (("episode-runner", "worker"), ("episode-submitter", "client")):
        granted[user] = set(_rules(BASE / f"{name}.yaml"))
    for user, rules in granted.items():
        used = {call[1:] for call in cluster.api.calls if call[0] == user}
        assert used == rules, (user, sorted(used ^ rules))


def _rules(path: Path) -> Iterator[tuple[str, str, str]]:
    for document in yaml.safe_load_all(path.read_text()):
        for rule in document.get("rules") or () if document["kind"] == "Role" else ():
            for group in rule["apiGroups"]:
                for resource in rule["resources"]:
                    yield from ((group, resource, verb) for verb in rule["verbs"])


def test_a_players_pod_is_confined(cluster: TestCluster) -> None:
    assert cluster.run(episode_request(), secret_env={"KEY": "a secret"}).error is None
    pods = [one for one in cluster.api.created if one["kind"] == "Pod" and "-player-" in one["metadata"]["name"]]
    assert [pod["metadata"]["labels"]["coworld-player-slot"] for pod in pods] == ["0", "1"]
    for pod in pods:
        spec, container = pod["spec"], pod["spec"]["containers"][0]
        assert spec["automountServiceAccountToken"] is spec["enableServiceLinks"] is False
        assert spec["restartPolicy"] == "Never" and spec["activeDeadlineSeconds"] > 60
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["limits"] == {"memory": "96Mi"} and "volumeMounts" not in container
        assert spec["initContainers"][0]["name"] == "wait-for-game-service"
        assert pod["metadata"]["ownerReferences"][0]["kind"] == "Pod"
        env = {entry["name"]: entry["value"] for entry in container["env"]}
        assert env["KEY"] == "a secret" and env["COWORLD_PLAYER_WS_URL"] == env["COGAMES_ENGINE_WS_URL"]
    policy = next(one for one in cluster.api.created if one["kind"] == "NetworkPolicy")
    game = policy["spec"]["egress"][0]["to"][0]["podSelector"]["matchLabels"]
    assert game == {"job-id": pods[0]["metadata"]["labels"]["job-id"], "coworld-component": "game"}
    job = next(one for one in cluster.api.created if one["kind"] == "Job")
    game_container = job["spec"]["template"]["spec"]["containers"][0]
    assert [mount["name"] for mount in game_container["volumeMounts"]] == ["coworld-workdir"]
    assert not any("TOKEN" in entry["name"] for entry in game_container["env"])


def test_secrets_and_tokens_are_not_in_what_is_fetched(cluster: TestCluster) -> None:
    outcome = cluster.run(episode_request(), secret_env={"KEY": "a-long-secret"})
    assert outcome.error is None
    texts = {path.name: path.read_bytes() for path in outcome.workspace.rglob("*") if path.is_file()}
    assert b"redacted-" in texts["policy_agent_0.log"] and b"redacted-" in texts["game.stdout.log"]
    assert not any(b"a-long-secret" in text for text in texts.values())


def test_threads_follow_whole_cores() -> None:
    assert thread_variables(0.5)["OMP_NUM_THREADS"] == "1"
    assert set(thread_variables(3.9).values()) == {"3"}


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("game", "Always"),
        ("host:5000/game", "Always"),
        ("game:latest", "Always"),
        ("game:1", "IfNotPresent"),
        ("game@sha256:00", "IfNotPresent"),
    ],
)
def test_moving_tags_are_pulled_again(image: str, policy: str) -> None:
    assert pull_policy(image) == policy
