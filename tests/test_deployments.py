"""What `deploy/` and `compose.yaml` name exists: objects, settings, secrets and metrics."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from fastapi.testclient import TestClient

from observatory.app import create_app
from observatory.settings import Settings
from tests.support import ROOT, require_tool

DEPLOY = ROOT / "deploy"
LEAGUE = DEPLOY / "kubernetes" / "league"
VERSIONS = ("1.25", "1.37")
OPERATOR = "postgresql.cnpg.io"
METRIC = re.compile(r"\b(?:observatory|process)_[a-z0-9_]+")


def render(folder: Path) -> list[Any]:
    words = [require_tool("kubectl"), "kustomize", str(folder)]
    answer = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stderr
    return list(yaml.safe_load_all(answer.stdout))


@pytest.fixture(scope="module", params=["address", "operator"])
def rendered(request: pytest.FixtureRequest) -> list[Any]:
    """An overlay as `kubectl` renders it."""
    return render(LEAGUE / "overlays" / request.param)


def of_kind(documents: list[Any], kind: str) -> dict[str, Any]:
    return {document["metadata"]["name"]: document for document in documents if document["kind"] == kind}


def test_every_object_is_valid_and_in_the_namespace(rendered: list[Any]) -> None:
    kinds = {document["kind"] for document in rendered}
    assert {"Deployment", "Service", "Ingress", "NetworkPolicy", "PodDisruptionBudget", "ServiceAccount"} <= kinds
    for document in rendered:
        assert document["kind"] == "Namespace" or document["metadata"]["namespace"] == "league"
        if not document["apiVersion"].startswith(OPERATOR):  # its types are defined in the cluster
            for version in VERSIONS:
                kubernetes_validate.validate(document, version, strict=True)


def test_pods_meet_the_restricted_standard(rendered: list[Any]) -> None:
    namespace = of_kind(rendered, "Namespace")["league"]
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    deployments = of_kind(rendered, "Deployment")
    assert deployments.keys() == {"server", "worker"}
    for deployment in deployments.values():
        pod = deployment["spec"]["template"]["spec"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == 1000
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert container["image"].startswith("registry.example.com/league-")
            assert container["resources"]["limits"]["memory"]


def test_selectors_find_their_pods(rendered: list[Any]) -> None:
    pods = [entry["spec"]["template"]["metadata"]["labels"] for entry in of_kind(rendered, "Deployment").values()]
    selectors = [entry["spec"]["selector"] for entry in of_kind(rendered, "Service").values()]
    for kind in ("Deployment", "PodDisruptionBudget"):
        selectors += [entry["spec"]["selector"]["matchLabels"] for entry in of_kind(rendered, kind).values()]
    selectors += [entry["spec"]["podSelector"]["matchLabels"] for entry in of_kind(rendered, "NetworkPolicy").values()]
    for selector in selectors:
        assert any(selector.items() <= labels.items() for labels in pods), selector


def test_workers_of_another_cluster_are_scaled_by_the_queue_and_drain_before_they_are_killed() -> None:
    documents = render(DEPLOY / "kubernetes" / "workers" / "autoscaled")
    for document in documents:
        for version in VERSIONS:
            kubernetes_validate.validate(document, version, strict=True)
    (deployment,) = of_kind(documents, "Deployment").values()
    (autoscaler,) = of_kind(documents, "HorizontalPodAutoscaler").values()
    assert "replicas" not in deployment["spec"]  # the autoscaler's, also when the files are applied again
    assert autoscaler["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    pod = deployment["spec"]["template"]["spec"]
    (drain,) = [word for word in pod["containers"][0]["args"] if word.startswith("--drain-seconds=")]
    assert int(drain.partition("=")[2]) < pod["terminationGracePeriodSeconds"]


def test_the_guide_creates_every_key_of_the_secret_that_is_required(rendered: list[Any]) -> None:
    guide = (ROOT / "docs" / "guides" / "deploy.md").read_text()
    text = json.dumps(rendered)
    keys = set(re.findall(r'"key": "([a-z0-9-]+)", "name": "league-secrets"', text))
    keys |= {item["key"] for item in _secret_items(rendered)}
    assert {"worker-token", "master-key", "secret-key"} <= keys
    for key in keys:
        assert f"--from-literal={key}=" in guide, key


def _secret_items(rendered: list[Any]) -> list[dict[str, str]]:
    pods = [entry["spec"]["template"]["spec"] for entry in of_kind(rendered, "Deployment").values()]
    return [item for pod in pods for volume in pod["volumes"] for item in volume.get("secret", {}).get("items", ())]


def test_settings_of_the_cluster_are_settings_of_the_server(rendered: list[Any]) -> None:
    settings = of_kind(rendered, "ConfigMap").values()
    assert len(settings) == 2
    for entry in settings:
        _check_settings(entry["data"])
    containers = [
        container
        for deployment in of_kind(rendered, "Deployment").values()
        for container in deployment["spec"]["template"]["spec"]["containers"]
    ]
    _check_settings({entry["name"]: "" for container in containers for entry in container["env"]})


def test_settings_of_the_compose_file_are_settings_of_the_server() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    for name in ("server", "worker"):
        service = compose["services"][name]
        _check_settings(service["environment"])
        assert service["restart"] == "always" and service["read_only"] and service["cap_drop"] == ["ALL"]
        assert f"AS {service['build']['target']}" in (ROOT / "Containerfile").read_text()
    assert not any("depends_on" in service for service in compose["services"].values())
    used = set(re.findall(r"\$\{([A-Z0-9_]+)", (ROOT / "compose.yaml").read_text()))
    example = (DEPLOY / "compose" / "example.env").read_text()
    documented = set(re.findall(r"^#?([A-Z0-9_]+)=", example, re.M))
    images = {"DATABASE_IMAGE", "SERVER_IMAGE", "WORKER_IMAGE", "PROXY_IMAGE"}
    assert used - images - {"SUBNET", "S3_REGION"} == documented


def _check_settings(variables: dict[str, Any]) -> None:
    known = {f"OBSERVATORY_{name}".upper() for name in Settings.model_fields} | {"OBSERVATORY_SERVER"}
    unknown = {name for name in variables if name.startswith("OBSERVATORY_")} - known
    assert not unknown


def test_an_empty_variable_leaves_a_setting_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OBSERVATORY_S3_ENDPOINT_URL", "")
    assert Settings().s3_endpoint_url is None


def test_alerts_and_dashboards_use_metrics_that_the_server_exports(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path, seed_seasons=False))
    app.state.metrics.sign_ins.labels("ok").inc()
    response = TestClient(app).get("/metrics")
    assert response.status_code == 200
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", response.text, re.M))
    exported = set(kinds)
    for name, kind in kinds.items():
        if kind == "histogram":
            exported |= {f"{name}_bucket", f"{name}_count", f"{name}_sum"}
    app.state.database.close()
    rules = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yaml").read_text())
    expressions = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    board = json.loads((DEPLOY / "grafana" / "league.json").read_text())
    expressions += [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    used = {name for expression in expressions for name in METRIC.findall(expression)}
    assert len(used) > 15 and used <= exported, used - exported
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


def test_the_guide_explains_every_alert() -> None:
    guide = (ROOT / "docs" / "guides" / "deploy.md").read_text()
    rules = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yaml").read_text())
    for group in rules["groups"]:
        for rule in group["rules"]:
            assert f"`{rule['alert']}`" in guide, rule["alert"]


@pytest.mark.second_library
def test_alerts_fire_when_they_should() -> None:
    promtool = require_tool("promtool")
    for words in (["check", "rules", "alerts.yaml"], ["test", "rules", "alerts.test.yaml"]):
        ran = subprocess.run([promtool, *words], cwd=DEPLOY / "prometheus", capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
