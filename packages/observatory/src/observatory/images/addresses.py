"""Addresses of images, as container engines write them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from urllib.parse import urlsplit

from observatory.database.tables.images import ContainerImage, ImageStatus
from observatory.public_ids import public_id
from softmax.wire.images import ContainerImageRow

__all__ = ["REPOSITORIES", "Registry", "repository_name"]

REPOSITORIES = "images/"


def repository_name(image_id: uuid.UUID) -> str:
    """Return the name of an image's repository in the registry."""
    return f"{REPOSITORIES}{image_id}"


@dataclass(frozen=True)
class Registry:
    """The registry of the server with this address, such as `https://league.example.com`.

    Its API is at `/v2/` of the host, where container engines expect it.
    """

    base_url: str

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc

    @property
    def origin(self) -> str:
        return f"{urlsplit(self.base_url).scheme}://{self.host}"

    def image_uri(self, image: ContainerImage) -> str:
        """Return the address to which an image is pushed."""
        return f"{self.host}/{repository_name(image.id)}:{tag_of(image)}"

    def pull_uri(self, image: ContainerImage) -> str | None:
        """Return the address of a complete image by its digest, which never means another image."""
        if image.status is not ImageStatus.READY:
            return None
        return f"{self.host}/{repository_name(image.id)}@{image.digest}"

    def row(self, image: ContainerImage) -> ContainerImageRow:
        """Return the image for a response."""
        ready = image.status is ImageStatus.READY
        return ContainerImageRow(
            id=public_id("img", image.id),
            name=image.name,
            version=image.version,
            client_hash=image.client_hash,
            status=image.status.value,
            image_uri=self.image_uri(image) if ready else None,
            image_digest=image.digest if ready else None,
            public_image_uri=self.pull_uri(image),
            size_bytes=image.size_bytes if ready else None,
            created_at=image.created_at,
        )


def tag_of(image: ContainerImage) -> str:
    return image.tag or f"v{image.version}"
