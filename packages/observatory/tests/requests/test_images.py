"""A policy that is a container image: the lease names the image, and its login pulls this image and no other."""

from __future__ import annotations

import base64
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from observatory.jobs.schemas import RegistryLogin
from observatory.worker.registries import write_login
from packages.observatory.tests.images.pushing import upload
from packages.observatory.tests.requests.conftest import Arena

pytestmark = pytest.mark.any_database


def test_a_lease_pulls_the_images_of_its_seats_and_no_others(
    arena: Arena, client: TestClient, token: str, ada: Any, bob: Any, tmp_path: Path
) -> None:
    mine, other = upload(client, ada)["id"], upload(client, bob)["id"]
    body = {"container_image_id": mine, "name": "pictured", "run": ["/player", "--fast"]}
    answer = client.post("/stats/policies/docker-img/complete", json=body, headers=ada.headers)
    assert answer.status_code == 200, answer.text
    game = arena.coworld(ada)
    arena.ask(ada, game, [{"policy_ref": "pictured"}, {"game_player": "sweep"}])
    lease = arena.lease(token)
    first, second = lease["policies"]
    assert first["image"].startswith(f"testserver/images/{mine.removeprefix('img_')}@sha256:")
    assert first["bundle_url"] is None and first["program"]["run"] == ["/player", "--fast"]
    assert second["image"] is None
    login = RegistryLogin(**lease["registry"])
    assert (login.host, login.insecure) == ("testserver", True)

    write_login(tmp_path, login)
    config = json.loads((tmp_path / "registry" / "config.json").read_text())
    conf = tomllib.loads((tmp_path / "registry" / "registries.conf").read_text())
    assert conf["registry"] == [{"location": "testserver", "insecure": True}]
    auth = config["auths"]["testserver"]["auth"]
    assert base64.b64decode(auth).decode() == f"lease:{login.password}"
    for image, status in ((mine, 200), (other, 404)):
        repository = f"images/{image.removeprefix('img_')}"
        answer = client.get("/v2/token", params={"scope": f"repository:{repository}:pull"}, headers=_basic(auth))
        bearer = {"Authorization": f"Bearer {answer.json()['token']}"}
        digest = first["image"].partition("@")[2]
        assert client.get(f"/v2/{repository}/manifests/{digest}", headers=bearer).status_code == status


def test_a_lease_without_images_has_no_login(arena: Arena, token: str, ada: Any) -> None:
    arena.ask(ada, arena.coworld(ada), [{"game_player": "sweep"}] * 2)
    assert arena.lease(token)["registry"] is None


def _basic(auth: str) -> dict[str, str]:
    return {"Authorization": f"Basic {auth}"}
