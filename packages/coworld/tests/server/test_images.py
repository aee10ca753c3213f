"""An image goes to the server's registry blob by blob, and what the server has is not sent again."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from coworld.server.image_push import PushError, push_image
from coworld.server.upload_client import CoworldUploadClient
from packages.observatory.tests.images.pushing import HELLO, OCI, digest_of
from tests.league import League


def _archive(path: Path) -> Path:
    """Write an image as `podman save --format oci-archive` does."""
    blobs = [HELLO.manifest, HELLO.config, *HELLO.layers]
    index = {"manifests": [{"mediaType": OCI, "digest": digest_of(HELLO.manifest), "size": len(HELLO.manifest)}]}
    files = {f"blobs/sha256/{digest_of(blob).removeprefix('sha256:')}": blob for blob in blobs}
    with tarfile.open(path, "w") as archive:
        for name, data in {**files, "index.json": json.dumps(index).encode()}.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def test_an_image_is_pushed_once_and_becomes_a_policy(league: League, tmp_path: Path) -> None:
    archive = _archive(tmp_path / "image.tar")
    said: list[str] = []
    with CoworldUploadClient(server_url=league.url, token=league.names["token"]) as client:
        begun = client.request_image_upload(name="hello", client_hash=digest_of(HELLO.config))
        assert begun.pre_signed_info is not None
        digest = push_image(archive, begun.pre_signed_info, say=said.append)
        assert len(said) == 3  # two layers and the config
        assert push_image(archive, begun.pre_signed_info, say=said.append) == digest and len(said) == 3
        image = client.complete_image_upload(begun.image.id)
        assert (image.status, image.image_digest) == ("ready", digest)
        assert client.request_image_upload(name="hello", client_hash=digest_of(HELLO.config)).pre_signed_info is None
        assert image.id in [row.id for row in client.list_images()] and client.get_image(image.id) == image
        version = client.complete_docker_image_policy(
            name="from-image", container_image_id=image.id, run=["/hello"], secret_env={"KEY": "value"}
        )
        assert version.version == 1


def test_what_is_not_an_image_is_refused_in_a_sentence(league: League, tmp_path: Path) -> None:
    with CoworldUploadClient(server_url=league.url, token=league.names["token"]) as client:
        begun = client.request_image_upload(name="broken", client_hash="sha256:" + "1" * 64)
    assert begun.pre_signed_info is not None
    (tmp_path / "image.tar").write_bytes(b"not an archive")
    with pytest.raises(PushError, match="cannot be read"):
        push_image(tmp_path / "image.tar", begun.pre_signed_info)
    wrong = begun.pre_signed_info.model_copy(update={"authorization_token": "bm86bm8="})
    with pytest.raises(PushError, match="The registry refused"):
        push_image(_archive(tmp_path / "image.tar"), wrong)
