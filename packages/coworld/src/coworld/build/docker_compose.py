"""Let `docker compose` read a compose file, where it is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from coworld.build.errors import ComposeError

__all__ = ["read_with_docker_compose"]


def read_with_docker_compose(compose_file: Path) -> dict[str, Any] | None:
    """Return a compose file as `docker compose config` resolves it; None where docker compose is not installed.

    Raises:
        ComposeError: docker compose refuses the file.
    """
    if not shutil.which("docker"):
        return None
    installed = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    if installed.returncode:
        return None
    words = ["docker", "compose", "-f", str(compose_file), "config", "--format", "json"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    if ran.returncode:
        lines = ran.stderr.strip().splitlines()
        reason = lines[-1] if lines else f"exit code {ran.returncode}"
        raise ComposeError(f"docker compose refuses {compose_file}: {reason}", hint="correct the compose file")
    document: dict[str, Any] = json.loads(ran.stdout)
    return document
