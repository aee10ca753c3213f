"""Small images, and the sequence of calls with which published clients push them."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

OCI = "application/vnd.oci.image.manifest.v1+json"
DOCKER = "application/vnd.docker.distribution.manifest.v2+json"


def digest_of(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def layer(**files: bytes) -> bytes:
    """A layer with these files, compressed."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(data.getvalue(), 1, mtime=0)


@dataclass(frozen=True)
class Image:
    """An image for linux/amd64."""

    layers: Sequence[bytes]
    platform: tuple[str, str] = ("linux", "amd64")
    docker: bool = False

    @property
    def config(self) -> bytes:
        diff_ids = [digest_of(gzip.decompress(data)) for data in self.layers]
        os, architecture = self.platform
        document = {"os": os, "architecture": architecture, "config": {"Cmd": ["/hello"]}}
        return json.dumps({**document, "rootfs": {"type": "layers", "diff_ids": diff_ids}}).encode()

    @property
    def media_type(self) -> str:
        return DOCKER if self.docker else OCI

    def document(self) -> dict[str, Any]:
        config, blob = (
            ("application/vnd.docker.container.image.v1+json", "application/vnd.docker.image.rootfs.diff.tar.gzip")
            if self.docker
            else ("application/vnd.oci.image.config.v1+json", "application/vnd.oci.image.layer.v1.tar+gzip")
        )
        return {
            "schemaVersion": 2,
            "mediaType": self.media_type,
            "config": descriptor(config, self.config),
            "layers": [descriptor(blob, data) for data in self.layers],
        }

    @property
    def manifest(self) -> bytes:
        return json.dumps(self.document()).encode()


def descriptor(media_type: str, data: bytes) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": digest_of(data), "size": len(data)}


HELLO = Image([layer(hello=b"#!/bin/sh\necho hello\n"), layer(data=bytes(20_000))])


class Push:
    """Pushes to the address of an upload, as published clients do: Basic credentials, sent with each call."""

    def __init__(self, client: Any, info: dict[str, Any]) -> None:
        self.client = client
        self.root = f"/v2/{info['repository']}"
        self.tag = info["tag"]
        self.headers = {"Authorization": f"Basic {info['authorization_token']}", "X-Auth-Token": ""}

    def has(self, digest: str) -> bool:
        answer = self.client.head(f"{self.root}/blobs/{digest}", headers=self.headers)
        assert answer.status_code in (200, 404), answer.text
        return answer.status_code == 200

    def begin(self, query: str = "") -> Any:
        return self.client.post(f"{self.root}/blobs/uploads/{query}", headers=self.headers)

    def blob(self, data: bytes, *, whole: bool = False) -> Any:
        """Send a blob: whole in one PUT, as configurations are sent, or with PATCH and an empty PUT."""
        location = self.begin().headers["Location"]
        query = f"?digest={digest_of(data)}"
        if whole:
            return self.client.put(location + query, content=data, headers=self.headers)
        patched = self.client.patch(location, content=data, headers=self.headers)
        assert patched.status_code == 202, patched.text
        return self.client.put(patched.headers["Location"] + query, headers=self.headers)

    def manifest(self, content: bytes, media_type: str = OCI, reference: str | None = None) -> Any:
        return self.client.put(
            f"{self.root}/manifests/{reference or self.tag}",
            content=content,
            headers={**self.headers, "Content-Type": media_type},
        )

    def image(self, image: Image) -> int:
        """Push all of it; how many blobs were sent."""
        sent = 0
        for data, whole in [*((data, False) for data in image.layers), (image.config, True)]:
            if not self.has(digest_of(data)):
                answer = self.blob(data, whole=whole)
                assert answer.status_code == 201, answer.text
                sent += 1
        answer = self.manifest(image.manifest, image.media_type)
        assert answer.status_code == 201, answer.text
        return sent


def begin(client: Any, account: Any, image: Image = HELLO, name: str = "game") -> dict[str, Any]:
    """Ask for a push of an image, as published clients do."""
    body = {"name": name, "client_hash": digest_of(image.config)}
    answer = client.post("/v2/container_images/upload", json=body, headers=account.headers)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def complete(client: Any, account: Any, image_id: str) -> Any:
    return client.post("/v2/container_images/upload/complete", json={"id": image_id}, headers=account.headers)


def upload(client: Any, account: Any, image: Image = HELLO, name: str = "game") -> dict[str, Any]:
    """Push and complete an image; its row."""
    begun = begin(client, account, image, name)
    if begun["pre_signed_info"] is None:
        row: dict[str, Any] = begun["image"]
        return row
    Push(client, begun["pre_signed_info"]).image(image)
    answer = complete(client, account, begun["image"]["id"])
    assert answer.status_code == 200, answer.text
    row = answer.json()
    return row


def root_of(row: dict[str, Any]) -> str:
    """The address of an image in the registry."""
    return f"/v2/images/{row['id'].removeprefix('img_')}"


def codes(answer: Any) -> list[str]:
    assert all(error["message"] for error in answer.json()["errors"])
    return [error["code"] for error in answer.json()["errors"]]
