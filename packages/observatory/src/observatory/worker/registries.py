"""The login for the images of a job, in the files that container engines read."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from observatory.jobs.schemas import RegistryLogin

__all__ = ["FOLDER", "write_login"]

FOLDER = "registry"
"""below the folder of a job: `config.json` for podman and docker, `registries.conf` for podman"""


def write_login(folder: Path, login: RegistryLogin) -> None:
    """Write a login into the folder of a job; a game that starts containers points its engine there."""
    place = folder / FOLDER
    place.mkdir(mode=0o700)
    auth = base64.b64encode(f"lease:{login.password}".encode()).decode()
    (place / "config.json").write_text(json.dumps({"auths": {login.host: {"auth": auth}}}))
    insecure = "true" if login.insecure else "false"
    text = f"[[registry]]\nlocation = {json.dumps(login.host)}\ninsecure = {insecure}\n"
    (place / "registries.conf").write_text(text)
