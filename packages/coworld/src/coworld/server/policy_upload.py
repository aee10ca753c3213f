"""Upload a player: an image, a file, or a folder as an archive."""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworld.errors import CoworldError

if TYPE_CHECKING:
    from coworld.server.upload_client import CoworldUploadClient
    from softmax.wire.policies import PolicyVersionResponse

__all__ = ["UploadError", "archived", "image_name", "upload_file_policy", "upload_image"]

MAX_FILE_BYTES = 100 << 20
FIRST_DAY = (1980, 1, 1, 0, 0, 0)


class UploadError(CoworldError):
    """What should be uploaded cannot be; the message says why."""


def archived(path: Path) -> bytes:
    """Return a file's bytes, or a folder as a zip archive; the same files give the same bytes.

    Raises:
        UploadError: it cannot be read, is too large or has a symbolic link.
    """
    try:
        if not path.is_dir():
            data = path.read_bytes()
        else:
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
                for file in sorted(path.rglob("*"), key=lambda each: each.relative_to(path).as_posix()):
                    name = file.relative_to(path).as_posix()
                    if file.is_symlink():
                        raise UploadError(f"{name} is a symbolic link, which an upload cannot have")
                    if file.is_dir() or "__pycache__" in file.parts:
                        continue
                    info = zipfile.ZipInfo(name, FIRST_DAY)
                    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                    archive.writestr(info, file.read_bytes(), compresslevel=9)
            data = buffer.getvalue()
    except OSError as error:
        raise UploadError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > MAX_FILE_BYTES:
        raise UploadError(f"{path} has {len(data) >> 20} MB; a player may have {MAX_FILE_BYTES >> 20} MB")
    return data


def upload_file_policy(
    client: CoworldUploadClient,
    path: Path,
    *,
    name: str | None,
    tags: Mapping[str, str] | None = None,
    secret_env: Mapping[str, str] | None = None,
    run: list[str] | None = None,
) -> PolicyVersionResponse:
    """Upload a file or folder as a policy; the same bytes under the same name stay the same version."""
    data = archived(path)
    about: dict[str, Any] = {"content_hash": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
    begun = client.request_player_file_upload(name=name, tags=tags, **about)
    if begun.existing_policy_version is not None and not secret_env:
        return begun.existing_policy_version
    if begun.upload_url is not None:
        client.put_signed(begun.upload_url, data)
    more: dict[str, Any] = {}
    if secret_env:
        more["policy_secret_env_id"] = client.store_policy_secrets(secret_env)
    if run:
        more["run"] = run
    return client.complete_player_file_policy(name=name, tags=tags, **about, **more)


def upload_image(client: CoworldUploadClient, image: str, *, say: Callable[[str], None] = lambda text: None) -> str:
    """Send an image of podman or docker to the server, unless the server has it; return its id (`img_...`).

    Raises:
        UploadError: there is no engine or no such image; `PushError`: the registry refuses it.
    """
    from cogbox.container_engines import first_engine
    from coworld.engines.base import ImageUnreachable
    from coworld.engines.container_images import ContainerImages
    from coworld.server.image_push import push_image, saved_image

    if image.startswith("img_"):
        return image
    engine, problem = first_engine()
    if engine is None:
        raise UploadError(f"{image} is an image, and there is no container engine here: {problem}")
    try:
        found = ContainerImages(engine, pull="missing", say=say).find(image)
    except ImageUnreachable as error:
        raise UploadError(str(error)) from None
    begun = client.request_image_upload(name=image_name(image), client_hash=found.id)
    if begun.pre_signed_info is None:
        say(f"The server has {image} already")
        return begun.image.id
    say(f"Sending {image}")
    with tempfile.TemporaryDirectory(prefix="coworld-image-") as folder:
        push_image(saved_image(engine, image, Path(folder)), begun.pre_signed_info, say=say)
    return client.complete_image_upload(begun.image.id).id


def image_name(image: str) -> str:
    """Return the name of an image without registry, tag and digest."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0] or "coworld-image"
