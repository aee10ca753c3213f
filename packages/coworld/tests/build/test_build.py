"""`coworld build` with podman: an image without a base image is built, tagged by its contents, and run."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import jsonschema
import pytest

from cogbox.container_engines import engine_problem
from coworld.bundle import build_coworld_manifest
from coworld.cli.packaged_docs import schema
from coworld.manifest.package import load_package
from tests.support import require_tool
from tests.wheels.podman import LIMITS, podman

from .project import PROGRAM, commit, write_project

VERSION = "1.4.0"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that needs no libraries."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "hello.cpp").write_text(PROGRAM)
    words = [require_tool("c++"), "-static", "-o", folder / "hello", folder / "hello.cpp"]
    subprocess.run(words, check=True)
    return folder / "hello"


@pytest.fixture
def image(program: Path) -> Iterator[str]:
    """The name of an image for one test; everything that was built under it is removed."""
    require_tool("podman")
    name = f"coworld-test-{uuid.uuid4().hex[:12]}"
    yield f"{name}:latest"
    listed = podman("images", "--quiet", "--no-trunc", f"--filter=reference=localhost/{name}")
    if ids := sorted({line.strip() for line in listed.splitlines()}):
        podman("rmi", "--force", *ids)


def coworld(*words: object) -> tuple[int, str, str]:
    """Call the command in this process."""
    from coworld.main import app

    out, err = io.StringIO(), io.StringIO()
    err.fileno = sys.__stderr__.fileno  # type: ignore[method-assign, union-attr]  # for the output of podman
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
        app([str(word) for word in words], prog_name="coworld")
    assert "Traceback" not in err.getvalue()
    return int(end.value.code or 0), out.getvalue(), err.getvalue()


def test_an_image_is_built_tagged_by_its_contents_and_run(
    tmp_path: Path, image: str, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    project = write_project(tmp_path / "project", image)
    shutil.copy(program, project / "hello")
    head = commit(project, origin="https://github.com/me/tiny.git")
    options = ("--project", project, "--version", VERSION, "--engine", "podman", "--pull", "never")
    code, out, err = coworld("build", *options)
    manifest = project / "dist" / "coworld_manifest.json"
    assert (code, out) == (0, f"Built Coworld manifest: {manifest}\n"), err
    text = manifest.read_text()
    assert text.endswith("}\n") and '\n  "game": {' in text and "null" not in text
    package = load_package(manifest)
    reference = package.manifest.game.runnable.image
    image_id = podman("image", "inspect", "--format={{.Id}}", reference).strip()
    assert reference == f"{image.removesuffix(':latest')}:coworld-{image_id[:12]}"
    assert (package.manifest.game.version, package.manifest.player[0].image) == (VERSION, reference)
    (inspected,) = json.loads(podman("image", "inspect", reference))
    for found in (inspected["Labels"], inspected["Annotations"]):
        assert found["org.opencontainers.image.revision"] == head
        assert found["org.opencontainers.image.source"] == "https://github.com/me/tiny"
        assert found["org.opencontainers.image.version"] == VERSION
    run = ("run", "--rm", "--network=none", "--read-only", "--cap-drop=all", "--log-driver=none", *LIMITS)
    assert podman(*run, reference, "world").splitlines()[-1] == "hello world"
    # The same commit gives the same image, whenever it is built and without the cache.
    shutil.rmtree(project / "dist")
    code, out, err = coworld("build", *options, "--build-option=--no-cache", "--json")
    assert code == 0, err
    document = json.loads(out)
    jsonschema.validate(document, schema("build"))
    assert document["images"] == [{"image": image, "reference": reference, "how": "built", "id": image_id}]
    # Other contents give another tag; the older tag stays.
    (project / "word").write_text("other")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    monkeypatch.setenv("TINY_GREETING", "goodbye")
    older = ("compose.yaml", "coworld_manifest_template.json", "2.0", "out/coworld_manifest.json")
    code, out, err = coworld("build", *(project / name if "." in name and "/" in name else name for name in older))
    assert code == 1 and "compose.yaml does not exist" in err
    monkeypatch.chdir(project)
    code, out, err = coworld("build", *older)
    assert (code, out) == (0, "Built Coworld manifest: out/coworld_manifest.json\n"), err
    changed = load_package(project / "out").manifest.game.runnable.image
    assert changed != reference
    assert podman(*run, changed, "world").splitlines()[-1] == "goodbye world"
    assert podman("image", "inspect", "--format={{.Id}}", reference).strip() == image_id


def test_a_build_that_fails_says_where_its_output_is(tmp_path: Path, image: str) -> None:
    project = write_project(tmp_path / "project", image)  # its program is missing
    code, out, err = coworld("build", "--project", project, "--version", VERSION, "--engine", "podman")
    assert (code, out) == (1, "")
    assert "podman could not build service 'tiny-game'" in err and "its output is above" in err
    assert not (project / "dist").exists()


def test_everything_else_is_checked_before_the_first_build(tmp_path: Path, image: str) -> None:
    extra = {"grader": [{"id": "g", "type": "grader", "name": "G", "description": "d", "image": "example/missing:1"}]}
    project = write_project(tmp_path / "project", image, **extra)
    code, _, err = coworld("build", "--project", project, "--version", VERSION, "--engine", "podman", "--pull=never")
    assert code == 1 and "image example/missing:1 is not on this machine" in err and "STEP" not in err
    code, _, err = coworld("build", "--project", project, "--version", "not a version")
    assert code == 1 and "not a version" in err
    code, _, err = coworld("build", "--project", project, "--compose", "none.yaml", "--version", VERSION)
    assert code == 1 and "none.yaml does not exist" in err
    code, _, err = coworld("build", "--project", project)
    assert code == 2 and "needs the version" in err
    code, _, err = coworld("build", "a", "b")
    assert code == 2 and "four values or options" in err


def test_images_that_come_with_coworld_stay_as_they_are(tmp_path: Path, image: str, program: Path) -> None:
    default = "softmax/default-grader:latest"
    extra = {"grader": [{"id": "g", "type": "grader", "name": "G", "description": "d", "image": default}]}
    project = write_project(tmp_path / "project", image, **extra)
    shutil.copy(program, project / "hello")
    path = build_coworld_manifest(
        project / "compose.yaml",
        project / "coworld_manifest_template.json",
        VERSION,
        tmp_path / "out" / "m.json",
        resolve_mutable_image_refs=False,
    )
    assert load_package(path).manifest.grader[0].image == default


def test_without_podman_and_docker_one_sentence_names_the_command_that_installs_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = write_project(tmp_path / "project", "tiny:latest")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "apt-get").write_text("")
    (tmp_path / "bin" / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("coworld.build.tool.engine_problem", engine_problem.__wrapped__)  # not the cached answer
    for engine, package in {"auto": "podman runc uidmap", "docker": "docker.io"}.items():
        code, _, err = coworld("build", "--project", project, "--version", VERSION, "--engine", engine)
        message, hint = err.strip().splitlines()
        assert code == 1 and "no program that builds images works here" in message and "is not installed" in message
        assert hint == f"hint: sudo apt-get install {package}"
