"""The Dockerfiles and compose files of the published Paint Arena: built by `coworld build`, certified with podman.

usage: coworld_images.py PYTHON [PYTHON ...]     interpreters with a published `coworld` each, newest first

The projects come from the installed packages. Images that cannot be pulled have stand-ins: Debian with Python for
`python:...-slim`, our default commissioner for the published one. Everything is in a separate podman storage,
`.cache/images/`, so a second run reuses the layers and the user's own images stay as they are. Exit status 1
when anything differs.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from coworld.certification.certify import certify  # noqa: E402
from coworld.engines.choice import choose_engine  # noqa: E402
from coworld.engines.local_images import LocalImages  # noqa: E402
from coworld.manifest.package import load_package  # noqa: E402
from coworld.models.runnables import CoworldManifestRoleSpec  # noqa: E402
from tests.compat.coworld_releases import CONFIG, PLAYED, bring_up_to_date, installed, published_manifest  # noqa: E402
from tests.support import IN_CI  # noqa: E402
from tests.wheels.podman import LIMITS, base_image, podman, use_separate_storage  # noqa: E402

PYTHON = "docker.io/library/python:3.12-slim"
COMMISSIONER = "ghcr.io/metta-ai/commissioners-default:latest"
VERSION = "1.0.0"

STAND_INS = {
    PYTHON: """\
FROM DEBIAN
RUN python3 -m venv /opt/python
ENV PATH=/opt/python/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
""",
    COMMISSIONER: f"""\
FROM {PYTHON}
RUN pip install --no-cache-dir httpx jsonschema packaging pydantic referencing rich typer websockets PyYAML
COPY coworld/src softmax/src cogbox/src /app/
ENV PYTHONPATH=/app
CMD ["python", "-m", "coworld.roles.commissioner"]
""",
}


def main(pythons: list[str]) -> bool:
    if missing := [tool for tool in ("podman", "mmdebstrap") if not shutil.which(tool)]:
        print(f"compat: not building published images: install {' and '.join(missing)}")
        return not IN_CI
    use_separate_storage()
    good = True

    def check(claim: str, passed: bool, detail: object = "") -> None:
        nonlocal good
        good &= passed
        print(f"  {'same' if passed else 'DIFFERS'}  {claim}" + ("" if passed else f": {detail}"), flush=True)

    with tempfile.TemporaryDirectory(prefix="coworld-compat-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        options = _registry_options(folder)
        _make_stand_ins(options, folder)
        for python in pythons:
            version, example = installed(Path(python))
            print(f"compat: images of Paint Arena of coworld {version}")
            project = folder / version
            added = _copy_project(example, project)
            words = [sys.executable, "-m", "coworld", "build", "--project", project, "--version", VERSION]
            words += ["--engine", "podman", "--pull", "missing", *(f"--build-option={word}" for word in options)]
            ran = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True)
            check("its images build", ran.returncode == 0, ran.stderr)
            if ran.returncode:
                continue
            path = project / "dist" / "coworld_manifest.json"
            wrong = [f"{image}: {found}" for image, found in _images(path).items() if not image.endswith(found[:12])]
            check("its manifest has tags made of the contents", not wrong, wrong)
            engine = choose_engine("podman", LocalImages())
            report = certify(path, engine=engine, workspace=folder / f"out-{version}", timeout_seconds=120)
            failed = report.failed_step
            claim = "its images certify" + (f" ({', '.join(added)})" if added else " as they are")
            check(claim, report.certified, f"{failed and failed.id}: {failed and failed.feedback}")
            if not report.certified:
                continue
            results = json.loads((folder / f"out-{version}" / "results.json").read_text())
            check("both players have played", min(results["scores"]) >= PLAYED, results)
    return good


def _registry_options(folder: Path) -> list[str]:
    """Return options of `podman build` with which pip inside finds the registry as pip on this machine does.

    They mount this machine's settings while a build runs; nothing of them gets into an image.
    """
    words = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    settings = {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        settings[name.rpartition(".")[2]] = value.strip("'\"")
    kept = ("index-url", "trusted-host", "proxy", "timeout", "default-timeout")
    lines = ["[global]", *(f"{name} = {settings[name]}" for name in kept if name in settings)]
    options = ["--network=host"]
    if certificate := settings.get("cert"):
        options.append(f"--volume={Path(certificate).resolve()}:/registry.crt:ro")
        lines.append("cert = /registry.crt")
    (folder / "pip.conf").write_text("\n".join(lines) + "\n")
    return [*options, f"--volume={folder / 'pip.conf'}:/etc/pip.conf:ro"]


def _make_stand_ins(options: list[str], folder: Path) -> None:
    """Build the images that the published projects start from, unless podman can pull them or has them."""
    base = base_image()
    for name, dockerfile in STAND_INS.items():
        path = folder / "Dockerfile"
        path.write_text(dockerfile.replace("DEBIAN", base))
        podman("build", "--quiet", f"--file={path}", f"--tag={name}", *options, *LIMITS, ROOT / "packages")


def _copy_project(example: Path, project: Path) -> list[str]:
    """Copy a published project; return what had to be added to its manifest."""
    shutil.copytree(example, project, ignore=shutil.ignore_patterns("__pycache__"))
    for script in project.rglob("*.sh"):
        script.chmod(0o755)  # an installer drops the permission
    template = published_manifest(example)
    if not (project / "compose.yaml").is_file():  # the oldest release names the image of its Dockerfile
        image = template["game"]["runnable"]["image"]
        service = {"image": image, "platform": "linux/amd64", "build": {"context": "."}}
        (project / "compose.yaml").write_text(json.dumps({"services": {"paintarena": service}}))
        del template["game"]["version"]
    added = bring_up_to_date(template)
    template["certification"]["game_config"] |= CONFIG
    (project / "coworld_manifest_template.json").write_text(json.dumps(template))
    return added


def _images(path: Path) -> dict[str, str]:
    """Return the id of each image of a built manifest."""
    manifest = load_package(path).manifest
    sections = ("player", "commissioner", "grader", "diagnoser", "optimizer")
    entries: list[CoworldManifestRoleSpec] = [entry for section in sections for entry in getattr(manifest, section)]
    references: list[Any] = [manifest.game.runnable.image, *(entry.image for entry in entries)]
    inspect = ("image", "inspect", "--format={{.Id}}")
    return {image: podman(*inspect, image).strip() for image in dict.fromkeys(references)}


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
