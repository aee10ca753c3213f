"""Build and run images with podman; make a base image of Debian packages where none can be pulled."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import workspace
from tests.support import missing, require_tool

# Debian releases by the version of their Python: wheels with native code install on the same version only.
RELEASES = {"3.11": "bookworm", "3.13": "trixie"}
# Some machines do not allow podman to raise these limits to its defaults.
LIMITS = ("--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096")


def podman(*words: str | Path, fails: bool = False) -> str:
    """Return the output of a podman command, stderr included; check whether it fails."""
    runtime = ["--runtime", "runc"] if shutil.which("runc") else []
    command = [require_tool("podman"), *runtime, *map(str, words)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert (ran.returncode != 0) == fails, f"{' '.join(command)}\nexit code {ran.returncode}\n{ran.stdout}"
    return ran.stdout


def use_separate_storage() -> None:
    """Let every podman that this process starts keep its images in `.cache/images/`, apart from those of the user.

    Layers stay there for the next run; delete the folder to free the disk.
    """
    home = workspace.CACHE / "images"
    home.mkdir(parents=True, exist_ok=True)
    running = Path("/run" if os.geteuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", tempfile.gettempdir()))
    settings = {"driver": "overlay", "graphroot": home / "storage", "runroot": running / "league-images"}
    lines = ["[storage]", *(f'{name} = "{value}"' for name, value in settings.items())]
    (home / "storage.conf").write_text("\n".join(lines) + "\n")
    os.environ["CONTAINERS_STORAGE_CONF"] = str(home / "storage.conf")


def base_image() -> str:
    """Return the name of a base image: $CONTAINER_BASE, or a minimal Debian with the Python version of `.venv/`."""
    if named := os.environ.get("CONTAINER_BASE"):
        return named
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    release = RELEASES.get(version) or missing(f"no Debian release has Python {version}: set CONTAINER_BASE")
    name = f"localhost/league-base:{release}"
    if not has_image(name):
        podman("import", debian_archive(release), name)
    return name


def has_image(name: str) -> bool:
    return subprocess.run([require_tool("podman"), "image", "exists", name]).returncode == 0


def debian_archive(release: str) -> Path:
    """Return the root folder of a minimal Debian with Python, as an archive; the first call downloads its packages."""
    archive = workspace.CACHE / f"base-{release}.tar"
    if not archive.exists():
        part = archive.with_suffix(".part")
        words = [require_tool("mmdebstrap"), "--format=tar", "--variant=apt", "--include=python3,python3-venv"]
        workspace.quiet("making a base image", [*words, release, part], log=workspace.CACHE / "base-image.log")
        part.rename(archive)
    return archive
