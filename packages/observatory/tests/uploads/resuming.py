"""A client that uploads everything an author has, and continues whatever was interrupted, as real ones do."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from packages.observatory.tests.coworlds.games import game
from packages.observatory.tests.coworlds.test_content import zipped
from packages.observatory.tests.images.pushing import HELLO, OCI, Image, digest_of, layer

CHUNK_BYTES = 100_000
PATIENCE_SECONDS = 120
OCTETS = {"Content-Type": "application/octet-stream"}


@dataclass
class Acknowledged:
    """What the server has said is done."""

    blobs: dict[str, str] = field(default_factory=dict)
    """the address of each blob by its digest"""
    manifests: dict[str, bytes] = field(default_factory=dict)
    """by the address of the repository"""
    images: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    """policy versions that are files: the name and the bytes, by id"""
    image_policies: dict[str, str] = field(default_factory=dict)
    """policy versions from images: the name, by id"""
    programs: dict[str, bytes] = field(default_factory=dict)
    """by digest"""
    coworlds: dict[str, dict[str, Any]] = field(default_factory=dict)


class ResumingClient:
    """Repeats a request that was not answered; of an upload in chunks, what the server does not have."""

    def __init__(self, url: str, token: str, chance: random.Random) -> None:
        self._http = httpx.Client(base_url=url, headers={"X-Auth-Token": token}, trust_env=False, timeout=20)
        self._chance = chance
        self.done = Acknowledged()
        self.answered = 0
        self.lost = 0
        """requests without an answer"""
        self.resumed = 0
        """uploads of blobs that continued behind what had arrived"""
        self.attempts: dict[str, int] = {}
        """requests to make a version from an image, by the name of the policy"""

    def close(self) -> None:
        self._http.close()

    def upload_everything(self, number: int) -> None:
        """Upload an image, policies from it and from a file, and a Coworld with the image and a program."""
        image = Image([HELLO.layers[1], layer(random=self._chance.randbytes(350_000))])
        image_id = self.image(image, f"image-{number}")
        self.image_policy(f"from-image-{number}", image_id)
        self.file_policy(f"from-file-{number}", self._chance.randbytes(150_000))
        program = zipped({"coworld_local.json": "{}", "main.py": f"# program {number}"})
        digest = self.program(program)
        manifest = game(f"game-{number}")
        manifest["player"].append(manifest["player"][0] | {"id": "from-image", "image": image_id})
        manifest["player"].append(manifest["player"][0] | {"id": "from-program", "image": f"sha256:{digest}"})
        self.coworld(manifest)

    def image(self, image: Image, name: str) -> str:
        """Push and complete an image; its id."""
        body = {"name": name, "client_hash": digest_of(image.config)}
        begun = self._post("/v2/container_images/upload", body)
        row, info = begun["image"], begun["pre_signed_info"]
        root, headers = f"/v2/{info['repository']}", {"Authorization": f"Basic {info['authorization_token']}"}
        for data in (*image.layers, image.config):
            self._blob(root, headers, data)
        answer = self._answer(
            "PUT",
            f"{root}/manifests/{info['tag']}",
            content=image.manifest,
            headers={**headers, "Content-Type": OCI},
        )
        assert answer.status_code == 201, answer.text
        self.done.manifests[root] = image.manifest
        self.done.images[row["id"]] = self._post("/v2/container_images/upload/complete", {"id": row["id"]})
        return str(row["id"])

    def image_policy(self, name: str, image_id: str) -> None:
        body = {"name": name, "container_image_id": image_id, "run": ["/hello"]}

        def count() -> None:
            self.attempts[name] = self.attempts.get(name, 0) + 1

        version = self._post("/stats/policies/docker-img/complete", body, before=count)
        self.done.image_policies[version["id"]] = name

    def file_policy(self, name: str, data: bytes) -> None:
        body = {"name": name, "content_hash": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
        version = self._complete("/stats/policies/files", body, data)
        self.done.files[version["id"]] = (name, data)

    def program(self, data: bytes) -> str:
        """Upload a program of a Coworld; its digest."""
        body = {"content_hash": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
        ready = self._complete("/v2/coworlds/programs", body, data, complete="/upload/complete")
        assert ready["status"] == "ready"
        self.done.programs[body["content_hash"]] = data
        return str(body["content_hash"])

    def coworld(self, manifest: dict[str, Any]) -> None:
        row = self._post("/v2/coworlds/upload", {"manifest": manifest})
        self.done.coworlds[row["id"]] = row

    def get(self, path: str) -> httpx.Response:
        answer = self._answer("GET", path)
        assert answer.status_code == 200, (path, answer.text[:500])
        return answer

    def _complete(self, path: str, body: dict[str, Any], data: bytes, complete: str = "/complete") -> Any:
        """PUT a file to its signed address and complete the upload; the whole again if the file has not arrived."""
        while True:
            begun = self._answer("POST", f"{path}/upload", json=body)
            assert begun.status_code in (200, 409), begun.text
            url = begun.json().get("upload_url") if begun.status_code == 200 else None
            if url is not None:
                put = self._answer("PUT", httpx.URL(url).raw_path.decode(), content=data, headers=OCTETS)
                assert put.status_code in (200, 409), put.text  # 409: it has arrived, and the answer was lost
            completed = self._answer("POST", f"{path}{complete}", json=body)
            if completed.status_code == 200:
                return completed.json()
            assert completed.status_code == 400 and "was not uploaded" in completed.text, completed.text

    def _blob(self, root: str, headers: dict[str, str], data: bytes) -> None:
        """Send a blob in chunks. Where it was interrupted, ask the server how much has arrived."""
        digest = digest_of(data)
        while self._answer("HEAD", f"{root}/blobs/{digest}", headers=headers).status_code == 404:
            begun = self._answer("POST", f"{root}/blobs/uploads/", headers=headers)
            assert begun.status_code == 202, begun.text
            self._send(begun.headers["Location"], headers, data)
        self.done.blobs[digest] = f"{root}/blobs/{digest}"

    def _send(self, location: str, headers: dict[str, str], data: bytes) -> None:
        offset, lost = 0, self.lost
        while offset < len(data):
            chunk = data[offset : offset + CHUNK_BYTES]
            content_range = {"Content-Range": f"{offset}-{offset + len(chunk) - 1}"}
            answer = self._try("PATCH", location, content=chunk, headers=headers | content_range)
            if answer is None or answer.status_code == 416:
                answer = self._answer("GET", location, headers=headers)
                assert answer.status_code == 204, answer.text
                offset = self._offset(answer, data)
                self.resumed += offset > 0
            else:
                assert answer.status_code == 202, answer.text
                offset += len(chunk)
        answer = self._answer("PUT", f"{location}?digest={digest_of(data)}", headers=headers)
        # An upload that has ended is unknown: an earlier request may have ended it, and its answer was lost.
        assert answer.status_code == 201 or (answer.status_code == 404 and self.lost > lost), answer.text

    def _offset(self, answer: httpx.Response, data: bytes) -> int:
        """Return how much has arrived. `0-0` means nothing, or one byte, which no chunk of ours is."""
        last = int(answer.headers["Range"].partition("-")[2])
        assert last < len(data)
        return last + 1 if last else 0

    def _post(self, path: str, body: dict[str, Any], before: Callable[[], None] = lambda: None) -> Any:
        answer = self._answer("POST", path, json=body, before=before)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def _answer(
        self, method: str, path: str, before: Callable[[], None] = lambda: None, **options: Any
    ) -> httpx.Response:
        """Send a request until it is answered."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            before()
            answer = self._try(method, path, **options)
            if answer is not None:
                return answer
            time.sleep(0.02)
        raise AssertionError(f"no answer to {method} {path} for {PATIENCE_SECONDS} seconds")

    def _try(self, method: str, path: str, **options: Any) -> httpx.Response | None:
        """Send a request once; None when it was not answered, or only that the server starts or stops."""
        try:
            answer = self._http.request(method, path, **options)
        except httpx.TransportError:
            self.lost += 1
            return None
        self.answered += 1
        return None if answer.status_code == 503 else answer
