"""Send an image of podman or docker to the registry of a server, blob by blob; what the server has is not sent again.

The calls are those of the OCI distribution API. Layers are compressed where the engine saved them uncompressed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from coworld.errors import CoworldError
from softmax.client.transport import is_loopback

if TYPE_CHECKING:
    import httpx

    from softmax.wire.images import PushInfo

__all__ = ["PushError", "push_image", "saved_image"]

BLOCK = 1 << 20
WRITE_SECONDS = 3600.0
SAVE_SECONDS = 1800.0
OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_CONFIG = "application/vnd.oci.image.config.v1+json"
OCI_LAYER = "application/vnd.oci.image.layer.v1.tar"
INDEXES = ("application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json")


class PushError(CoworldError):
    """The image could not be sent; the message says why."""


@dataclass(frozen=True)
class Blob:
    """A blob as it goes to the registry: a file on disk, its digest and its size."""

    path: Path
    digest: str
    size: int
    media_type: str

    @property
    def descriptor(self) -> dict[str, Any]:
        return {"mediaType": self.media_type, "digest": self.digest, "size": self.size}


def saved_image(engine: str, image: str, folder: Path) -> Path:
    """Save an image of an engine as an archive; raises `PushError`."""
    from cogbox.container_engines import engine_command

    archive = folder / "image.tar"
    form = ["--format", "oci-archive"] if engine == "podman" else []
    command = [*engine_command(engine), "save", *form, "-o", str(archive), image]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=SAVE_SECONDS)
    except subprocess.TimeoutExpired:
        raise PushError(f"{engine} did not save {image} within {SAVE_SECONDS:g} seconds") from None
    if result.returncode:
        lines = result.stderr.strip().splitlines()
        raise PushError(f"{engine} could not save {image}: {lines[-1] if lines else 'no error output'}")
    return archive


def push_image(archive: Path, info: PushInfo, *, say: Callable[[str], None] = lambda text: None) -> str:
    """Push the image in an archive and return the digest of its manifest; raises `PushError`."""
    import httpx

    with tempfile.TemporaryDirectory(prefix="coworld-push-") as folder:
        config, layers = _blobs(archive, Path(folder))
        headers = {"Authorization": f"Basic {info.authorization_token}"}
        root = _root(info)
        timeout = httpx.Timeout(60.0, write=WRITE_SECONDS, read=600.0)
        # Proxy settings of the environment do not apply to connections within this machine.
        with httpx.Client(headers=headers, timeout=timeout, trust_env=not is_loopback(root)) as client:
            for blob in (*layers, config):
                if _send_blob(client, root, blob):
                    say(f"Sent {blob.digest[:19]} ({blob.size / 1e6:.1f} MB)")
            manifest = {
                "schemaVersion": 2,
                "mediaType": OCI_MANIFEST,
                "config": config.descriptor,
                "layers": [blob.descriptor for blob in layers],
            }
            data = json.dumps(manifest).encode()
            answer = _call(
                client, "PUT", f"{root}/manifests/{info.tag}", content=data, headers={"Content-Type": OCI_MANIFEST}
            )
            _check(answer, "the manifest")
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _root(info: PushInfo) -> str:
    host, _, prefix = info.registry.partition("/")
    scheme = "http" if (info.endpoint_url or "").startswith("http://") else "https"
    return f"{scheme}://{host}/v2/{f'{prefix}/' if prefix else ''}{info.repository}"


def _send_blob(client: httpx.Client, root: str, blob: Blob) -> bool:
    """Send a blob unless the registry has it; return whether it was sent."""
    answer = _call(client, "HEAD", f"{root}/blobs/{blob.digest}")
    if answer.status_code == 200:
        return False
    if answer.status_code != 404:
        _check(answer, blob.digest)
    begun = _check(_call(client, "POST", f"{root}/blobs/uploads/"), blob.digest)
    place = _location(root, begun)
    with blob.path.open("rb") as file:
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(blob.size)}
        sent = _check(_call(client, "PATCH", place, content=_blocks(file), headers=headers), blob.digest)
    place = _location(root, sent)
    separator = "&" if urlsplit(place).query else "?"
    _check(_call(client, "PUT", f"{place}{separator}digest={blob.digest}"), blob.digest)
    return True


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


def _location(root: str, answer: httpx.Response) -> str:
    location = answer.headers.get("Location")
    if not location:
        raise PushError("The registry began an upload and did not say where; it is not an OCI registry")
    return urljoin(f"{root}/", location)


def _call(client: httpx.Client, method: str, url: str, **content: Any) -> httpx.Response:
    import httpx

    try:
        return client.request(method, url, **content)
    except httpx.HTTPError as error:
        raise PushError(
            f"The registry {urlsplit(url).netloc} does not answer: {error or type(error).__name__}"
        ) from None


def _check(answer: httpx.Response, what: str) -> httpx.Response:
    if answer.is_success:
        return answer
    try:
        detail = answer.json()["errors"][0]["message"]
    except (ValueError, KeyError, IndexError, TypeError):
        detail = f"status {answer.status_code}"
    raise PushError(f"The registry refused {what}: {detail}")


def _blobs(archive: Path, folder: Path) -> tuple[Blob, list[Blob]]:
    """Return the config and the layers of the linux/amd64 image in an archive, as files in a folder."""
    try:
        with tarfile.open(archive) as tar:
            names = {member.name.removeprefix("./"): member for member in tar if member.isfile()}

            def read(name: str) -> bytes:
                file = tar.extractfile(names[name])
                assert file is not None
                with file:
                    return file.read()

            if "index.json" in names:
                manifest = _oci_manifest(read, json.loads(read("index.json")))
                config_name, layers = _name(manifest["config"]), [_name(layer) for layer in manifest["layers"]]
            else:
                (entry,) = json.loads(read("manifest.json"))
                config_name, layers = entry["Config"], entry["Layers"]
            config = _stored(tar, names[config_name], folder, OCI_CONFIG)
            return config, [_layer(tar, names[name], folder) for name in layers]
    except (tarfile.TarError, KeyError, ValueError, OSError) as error:
        raise PushError(f"The saved image cannot be read: {error}") from None


def _oci_manifest(read: Callable[[str], bytes], index: dict[str, Any]) -> dict[str, Any]:
    found = []
    for descriptor in index["manifests"]:
        platform = descriptor.get("platform", {})
        if descriptor.get("mediaType") in INDEXES:
            return _oci_manifest(read, json.loads(read(_name(descriptor))))
        if platform.get("architecture", "amd64") == "amd64" and platform.get("os", "linux") == "linux":
            found.append(descriptor)
    if len(found) != 1:
        raise PushError(f"The archive has {len(found)} images for linux/amd64; exactly one is needed")
    manifest: dict[str, Any] = json.loads(read(_name(found[0])))
    return manifest


def _name(descriptor: dict[str, Any]) -> str:
    algorithm, _, digest = descriptor["digest"].partition(":")
    return f"blobs/{algorithm}/{digest}"


def _stored(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, media_type: str) -> Blob:
    path = folder / hashlib.sha256(member.name.encode()).hexdigest()
    source = tar.extractfile(member)
    assert source is not None
    with source, path.open("wb") as target:
        shutil.copyfileobj(source, target, BLOCK)
    return _blob(path, media_type)


def _layer(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> Blob:
    """Return a layer, compressed. The same layer gives the same bytes each time, so that it is sent once."""
    source = tar.extractfile(member)
    assert source is not None
    with source:
        start = source.read(4)
    plain = _stored(tar, member, folder, f"{OCI_LAYER}+gzip")
    if start[:2] == b"\x1f\x8b":
        return plain
    if start == b"\x28\xb5\x2f\xfd":
        return _blob(plain.path, f"{OCI_LAYER}+zstd")
    packed = plain.path.with_suffix(".gz")
    with (
        plain.path.open("rb") as file,
        packed.open("wb") as target,
        gzip.GzipFile(filename="", mode="wb", fileobj=target, compresslevel=1, mtime=0) as zipped,
    ):
        shutil.copyfileobj(file, zipped, BLOCK)
    plain.path.unlink()
    return _blob(packed, f"{OCI_LAYER}+gzip")


def _blob(path: Path, media_type: str) -> Blob:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Blob(path, f"sha256:{digest}", path.stat().st_size, media_type)
