"""Paint Arena as container images: a game, its player and a policy, built on this machine from its own Python."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import coworld.examples.paintarena
from cogbox.container_engines import run_engine
from packages.coworld.tests.images import python_image

__all__ = ["ArenaImages", "build_images", "empty_storage", "running_docker", "running_worker", "write_manifest"]

PAINT_ARENA = Path(coworld.examples.paintarena.__file__).parent
DAEMON_SECONDS = 60.0
BUILD = """\
FROM {base}
LABEL mark={mark}
COPY policy.py /app/policy.py
CMD ["python", "/app/policy.py"]
"""
POLICY = """\
import os
import sys
import zipfile
from urllib.parse import urlsplit

from coworld.examples.paintarena.player.player import play

code = play(os.environ["COWORLD_PLAYER_WS_URL"])
artifact = os.environ.get("COWORLD_PLAYER_ARTIFACT_UPLOAD_URL")
if artifact:
    with zipfile.ZipFile(urlsplit(artifact).path, "w") as archive:
        archive.writestr("notes.txt", "played from an image")
sys.exit(code)
"""


@dataclass(frozen=True)
class ArenaImages:
    """Names of local images; `policy` has the layers of `game` and one more."""

    game: str
    policy: str


def build_images(engine: str, mark: str, *, with_roles: bool = False) -> ArenaImages:
    """Build the images with podman or docker. Those of another `mark` have other ids.

    With `with_roles`, the game's image also runs the default commissioner, grader, diagnoser and optimizer.
    """
    images = ArenaImages(f"image-arena:{mark}", f"image-policy:{mark}")
    base = python_image(engine, *(["coworld"] if with_roles else []))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "policy.py").write_text(POLICY)
        (folder / "Dockerfile").write_text(BUILD.format(base=base, mark=mark))
        for words in (["tag", base, images.game], ["build", "--tag", images.policy, name]):
            ran = run_engine(engine, *words)
            assert ran.returncode == 0, ran.stderr
    return images


def write_manifest(folder: Path, images: ArenaImages, *, with_roles: bool = False) -> Path:
    """Write the manifest of Paint Arena with the game and the player as images, and its roles with `with_roles`.

    Without it the roles are those that come with the package.
    """
    document = json.loads((PAINT_ARENA / "coworld_manifest.json").read_text())
    document["game"] |= {"name": "image-arena", "version": "0.1.0"}
    for runnable in (document["game"]["runnable"], *document["player"]):
        runnable["image"] = images.game
    if with_roles:
        del document["reporter"]
        for role in ("commissioner", "grader", "diagnoser", "optimizer"):
            for entry in document[role]:
                entry |= {"image": images.game, "run": ["python", "-m", f"coworld.roles.{role}"]}
    path = folder / "coworld_manifest.json"
    path.write_text(json.dumps(document, indent=2))
    return path


@contextmanager
def running_worker(url: str, token: str, folder: Path, **environment: str) -> Iterator[Path]:
    """A worker in a process of its own, until the block ends; yields its log."""
    file, log = folder / "worker.token", folder / "worker.log"
    file.write_text(token)
    command = [sys.executable, "-m", "observatory", "worker", "--server", url, "--token-file", str(file)]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env={**os.environ, **environment})
    try:
        yield log
    finally:
        process.send_signal(signal.SIGINT)  # give the job back: an episode in containers may take minutes
        process.wait(120)


@contextmanager
def empty_storage(folder: Path) -> Iterator[dict[str, str]]:
    """Storage of podman without images, until the block ends; yields the environment that selects it."""
    config = folder / "storage.conf"
    settings = f'driver = "overlay"\ngraphroot = "{folder}/images"\nrunroot = "{folder}/run"\n'
    config.write_text(f"[storage]\n{settings}")
    environment = {"CONTAINERS_STORAGE_CONF": str(config)}
    try:
        yield environment
    finally:
        subprocess.run(["podman", "system", "reset", "--force"], env={**os.environ, **environment}, capture_output=True)


@contextmanager
def running_docker(folder: Path) -> Iterator[str]:
    """A docker daemon with images and networks of its own, until the block ends; yields its address.

    It needs root, and the packages docker.io and iptables.
    """
    address = f"unix://{folder}/docker.sock"
    words = ["--data-root", folder / "data", "--exec-root", folder / "exec", "--pidfile", folder / "pid"]
    with (folder / "dockerd.log").open("w") as log:
        daemon = subprocess.Popen(["dockerd", *map(str, words), "--host", address], stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + DAEMON_SECONDS
        while subprocess.run(["docker", "--host", address, "info"], capture_output=True).returncode:
            if daemon.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"dockerd does not start: {(folder / 'dockerd.log').read_text()[-1000:]}")
            time.sleep(0.5)
        yield address
    finally:
        daemon.terminate()
        daemon.wait(60)
