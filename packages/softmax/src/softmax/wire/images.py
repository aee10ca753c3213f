"""Responses about container images and their uploads."""

from __future__ import annotations

from datetime import datetime

from softmax.wire.base import Nullable, ResponseModel

__all__ = ["ContainerImageRow", "ImageUpload", "PushInfo"]


class ContainerImageRow(ResponseModel):
    """An image. Its addresses are null until it is complete."""

    id: str
    name: str
    version: int
    client_hash: Nullable[str] = None
    status: str
    image_uri: Nullable[str] = None
    image_digest: Nullable[str] = None
    public_image_uri: Nullable[str] = None
    """the address to pull it from; anyone may if a public Coworld uses it"""
    size_bytes: Nullable[int] = None
    created_at: Nullable[datetime] = None


class PushInfo(ResponseModel):
    """Where to push an image, and with which credentials.

    The registry's API is at `/v2/` of the host of `registry`; it speaks plain HTTP if `endpoint_url` does.
    """

    kind: str = "ecr"
    region: str
    registry: str
    repository: str
    tag: str
    image_uri: str
    endpoint_url: Nullable[str] = None
    authorization_token: str
    """`user:password` in base64, for the header `Authorization: Basic`"""


class ImageUpload(ResponseModel):
    """An image to be pushed; without `pre_signed_info` the server has it already."""

    image: ContainerImageRow
    pre_signed_info: Nullable[PushInfo] = None
