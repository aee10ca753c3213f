"""Statuses of the routes of images and the registry by caller. The image is one of ada, pushed and not complete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from packages.observatory.tests.images.pushing import HELLO, Push, begin, digest_of


@dataclass(frozen=True)
class PushedImage:
    id: str
    upload_id: str

    def words(self, template: str) -> dict[str, str]:
        """Return the values of the parameters of a path."""
        uuid = self.id.removeprefix("img_")
        return {
            "image_id": self.id if template.startswith("/v2/container_images") else uuid,
            "digest": digest_of(HELLO.config),
            "reference": digest_of(HELLO.manifest),
            **({"upload_id": self.upload_id} if template.startswith("/v2/images/") else {}),
        }


def push_image(client: TestClient, account: Any) -> PushedImage:
    begun = begin(client, account)
    push = Push(client, begun["pre_signed_info"])
    push.image(HELLO)
    return PushedImage(begun["image"]["id"], push.begin().headers["Docker-Upload-UUID"])


# Callers: anonymous, expired, worker, other, reader, owner, writer, admin. The registry knows no administrators.
PULL = "401 401 401 404 200 200 200 404"
PUSH = "401 401 401 404 403 {0} {0} 404"
FILE = {"name": "file", "content_hash": "0" * 64, "size_bytes": 1}
UPLOADS = "/v2/images/{image_id}/blobs/uploads/"

IMAGE_ROUTES: dict[str, tuple[str, Callable[[Any], Any] | None]] = {
    "GET /v2/": ("401 401 401 200 200 200 200 200", None),
    "GET /v2/token": ("200 401 401 200 200 200 200 200", None),
    "GET /v2/images/{image_id}/blobs/{digest}": (PULL, None),
    "GET /v2/images/{image_id}/manifests/{reference}": (PULL, None),
    "GET /v2/images/{image_id}/tags/list": (PULL, None),
    f"POST {UPLOADS}": (PUSH.format(202), None),
    f"GET {UPLOADS}{{upload_id}}": (PUSH.format(204), None),
    f"PATCH {UPLOADS}{{upload_id}}": (PUSH.format(202), None),
    f"PUT {UPLOADS}{{upload_id}}": (PUSH.format(400), None),
    f"DELETE {UPLOADS}{{upload_id}}": ("401 401 401 404 403 204 404 404", None),
    "PUT /v2/images/{image_id}/manifests/{reference}": (PUSH.format(400), lambda scene: {}),
    "GET /v2/container_images": ("401 401 401 200 200 200 200 200", None),
    "GET /v2/container_images/{image_id}": ("404 401 401 404 200 200 200 200", None),
    "POST /v2/container_images/upload": (
        "401 401 401 200 403 200 200 200",
        lambda scene: {"name": "image", "client_hash": "1"},
    ),
    "POST /v2/container_images/upload/complete": (
        "401 401 401 404 403 200 200 404",
        lambda scene: {"id": scene.image.id},
    ),
    # policies from images and files
    "POST /stats/policy-secret-envs": (
        "401 401 401 200 403 200 200 200",
        lambda scene: {"policy_secret_env": {"KEY": "value"}},
    ),
    "POST /stats/policies/docker-img/complete": (
        "401 401 401 404 403 200 200 200",
        lambda scene: {"container_image_id": scene.image.id, "name": scene.name()},
    ),
    "POST /stats/policies/files/upload": ("401 401 401 200 403 200 200 200", lambda scene: FILE),
    "POST /stats/policies/files/complete": ("401 401 401 400 403 400 400 400", lambda scene: FILE),
    "GET /v2/policies/{policy_id}/selection-access": ("401 401 401 403 200 200 200 200", None),
    "PUT /v2/policies/{policy_id}/selection-access": (
        "401 401 401 403 403 200 200 403",
        lambda scene: {"selection_scope": "any_request"},
    ),
    "POST /admin/images/gc": ("401 401 401 403 403 403 403 200", None),
}
