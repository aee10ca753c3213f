"""Read a file of an image without running it."""

import io
import secrets
import subprocess
import tarfile

from cogbox._levels.container import OWNER, remove_containers
from cogbox.container_engines import container_owner, engine_command

COPY_SECONDS = 60


def read_image_file(engine: str, image: str, path: str) -> bytes | None:
    """Return the contents of a plain file of an image; None if it has no such file."""
    name = f"cogbox-file-{secrets.token_hex(8)}"
    label = f"{OWNER}={container_owner()}"
    create = ["create", "--name", name, "--network", "none", "--label", label, "--entrypoint", "/none", image]
    try:
        subprocess.run([*engine_command(engine), *create], capture_output=True, timeout=COPY_SECONDS, check=True)
        copied = subprocess.run(
            [*engine_command(engine), "cp", f"{name}:{path}", "-"], capture_output=True, timeout=COPY_SECONDS
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise OSError(f"`{engine} create` failed for {image}: {error}") from None
    finally:
        remove_containers(engine, [name])
    if copied.returncode:
        return None
    with tarfile.open(fileobj=io.BytesIO(copied.stdout)) as archive:
        for member in archive:
            if member.isfile() and (file := archive.extractfile(member)) is not None:
                return file.read()
    return None
