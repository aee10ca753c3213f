"""Send a local program in place of a container image, from machines without a container engine.

The program is the folder that `coworld_local.json` beside the manifest names for the image. On the server its files are
at `/player`, read-only, and it starts there.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from coworld.engines.local_images import SIDE_FILE, LocalImage
from coworld.server.policy_upload import FIRST_DAY, UploadError, archived

if TYPE_CHECKING:
    from coworld.server.upload_client import CoworldUploadClient

__all__ = ["packed_program", "upload_program"]


def upload_program(
    client: CoworldUploadClient, local: LocalImage, run: Sequence[str], *, say: Callable[[str], None]
) -> str:
    """Send a program unless the server has it; return the reference for the manifest, `sha256:DIGEST`.

    Raises:
        UploadError: the program needs more than its folder, or the server cannot use it.
    """
    data = packed_program(local, run)
    digest = hashlib.sha256(data).hexdigest()
    begun = client.request_program_upload(content_hash=digest, size_bytes=len(data))
    if begun.upload_url is not None:
        say(f"Sending {local.image} as a program")
        client.put_signed(begun.upload_url, data, content_type="application/zip")
    state = client.complete_program_upload(content_hash=digest, size_bytes=len(data))
    if state.status != "ready":
        raise UploadError(f"The server cannot use the program of {local.image}: {state.detail}")
    return state.bundle


def packed_program(local: LocalImage, run: Sequence[str]) -> bytes:
    """Return the archive of a program: its folder, and its command in `coworld_local.json`."""
    if (
        local.root is None
        or local.mounts
        or local.python is not None
        or local.workdir not in (None, local.root, local.at)
    ):
        raise UploadError(f"{local.image} runs with folders outside of its own, which an upload cannot have")
    argv = list(local.argv) or list(run)
    if not argv:
        raise UploadError(f"Nothing says how to start {local.image}: give it `argv` in {SIDE_FILE}")
    command = {"argv": argv, "env": dict(local.env), "packages": list(local.packages)}
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archived(local.root))) as files,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
    ):
        members = {info.filename: files.read(info) for info in files.infolist()}
        members[SIDE_FILE] = json.dumps({"images": {local.image: command}}).encode()
        for name, contents in sorted(members.items()):
            info = zipfile.ZipInfo(name, FIRST_DAY)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, contents, compresslevel=9)
    return buffer.getvalue()
