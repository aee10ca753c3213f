"""The calls with which published `coworld` clients push images, replayed with a small image: every one is answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest

from packages.observatory.tests.images.pushing import OCI, Image, digest_of, layer
from tests.compat.leagues_images import CALLS
from tests.league import make_account, running_server

NOTES = json.loads(CALLS.read_text())
PUBLISH = "coworld upload-coworld coworld_manifest.json"
POLICY = "coworld upload-policy {policy_image} --name from-image"
IMAGE = Image([layer(hello=b"#!/bin/sh\n")])


class Replay:
    """Makes noted calls with the blobs of `IMAGE`, one after the other."""

    def __init__(self, http: httpx.Client, token: str) -> None:
        self._http, self._bearer = http, {"Authorization": f"Bearer {token}"}
        self._blobs = [*IMAGE.layers, IMAGE.config]
        self._location = ""
        self._patched = False
        self.begun: dict[str, Any] = {}

    def call(self, noted: str) -> httpx.Response:
        method, _, path = noted.partition(" ")
        if path.endswith("/container_images/upload"):
            body = {"name": "hello", "client_hash": digest_of(IMAGE.config)}
            response = self._http.post(path, json=body, headers=self._bearer)
            self.begun = response.json()
            return response
        if path.endswith("/upload/complete"):
            return self._http.post(path, json={"id": self.begun["image"]["id"]}, headers=self._bearer)
        if path.endswith("/docker-img/complete"):
            body = {"name": "hello", "container_image_id": self.begun["image"]["id"]}
            return self._http.post(path, json=body, headers=self._bearer)
        assert path.startswith("/v2/images/{image}/"), noted
        return self._push(method, path)

    def _push(self, method: str, path: str) -> httpx.Response:
        info = self.begun["pre_signed_info"]
        headers = {"Authorization": f"Basic {info['authorization_token']}"}
        root = f"/v2/{info['repository']}"
        if path.endswith("/manifests/v1"):
            headers["Content-Type"] = OCI
            return self._http.put(f"{root}/manifests/{info['tag']}", content=IMAGE.manifest, headers=headers)
        blob = self._blobs[0]
        if method == "HEAD":
            return self._http.head(f"{root}/blobs/{digest_of(blob)}", headers=headers)
        if method == "POST":
            response = self._http.post(f"{root}/blobs/uploads/", headers=headers)
        elif method == "PATCH":
            response = self._http.patch(self._location, content=blob, headers=headers)
            self._patched = True
        else:
            rest = b"" if self._patched else blob
            response = self._http.put(f"{self._location}?digest={digest_of(blob)}", content=rest, headers=headers)
            self._blobs, self._patched = self._blobs[1:], False
        self._location = urljoin(self._location, response.headers.get("Location", ""))
        return response


@pytest.mark.parametrize("version", ["0.1.64", "0.1.26"])
def test_the_noted_push_is_answered(version: str, tmp_path: Path) -> None:
    notes = {note["command"]: note["calls"] for note in NOTES if note["version"] == version}
    push = [call for call in notes[PUBLISH] if "images" in call]
    assert len(push) >= 7 and push[-1].endswith("/upload/complete")
    with running_server(tmp_path) as league, league.http() as http:
        replay = Replay(http, make_account(league.world, "ada").token)
        for call in [*push, notes[POLICY][-1]]:
            response = replay.call(call)
            # HEAD asks for a blob that the registry does not have yet.
            assert response.status_code == 404 if call.startswith("HEAD") else response.is_success, (call, response)
        again = replay.call(push[0])
        assert again.json()["pre_signed_info"] is None, "the image need not be sent again"
