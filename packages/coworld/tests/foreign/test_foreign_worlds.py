"""Games of other authors run their own code, and a broken one never certifies."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from coworld.certification.certify import certify, is_certified
from coworld.engines.base import EngineError
from coworld.engines.interpreters import OURS
from coworld.engines.local_images import LocalImages, LocalImagesError
from coworld.engines.process import ProcessEngine
from coworld.engines.programs import program_of
from coworld.manifest.package import load_package

from ..cli.conftest import coworld
from .authors import MARKER, WORLDS

PROFILES: dict[str, Any] = {"0.1.26": "0.1.26", "guide": "guide"}
"""generations that a world has to be certified by; others take either of the usual ones"""
RAISES = 'raise RuntimeError("this game is broken")\n'


@pytest.mark.parametrize("world", WORLDS)
def test_a_foreign_game_runs_its_own_code_and_certifies(world: str, tmp_path: Path) -> None:
    folder, workspace = tmp_path / "theirs", tmp_path / "out"
    server = WORLDS[world](folder)
    manifest = folder / "coworld_manifest.json"
    engine = ProcessEngine(LocalImages.beside(manifest))
    report = certify(manifest, engine=engine, workspace=workspace, profile=PROFILES.get(world))
    assert report.certified, report.text()
    assert json.loads((workspace / "results.json").read_bytes())["marker"] == MARKER
    game = json.loads((workspace / "isolation.json").read_bytes())["runnables"][0]
    assert Path(game["main"]) == server
    assert game["root"] == str(folder) and len(game["files_sha256"]) == 64
    expected = f"virtual environment {folder / '.venv'}" if world == "venv" else "clean"
    assert (game["python"], game["packages"]) == (expected, [])


@pytest.mark.parametrize("world", WORLDS)
def test_a_foreign_game_that_raises_never_certifies(world: str, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    server = WORLDS[world](folder)
    manifest = folder / "coworld_manifest.json"
    engine = ProcessEngine(LocalImages.beside(manifest))
    server.write_text(RAISES + server.read_text())
    report = certify(
        manifest, engine=engine, workspace=tmp_path / "out", timeout_seconds=30, profile=PROFILES.get(world)
    )
    assert not report.certified
    assert report.failed_step is not None and report.failed_step.failure_reason == "game_unhealthy"
    assert "RuntimeError: this game is broken" in (report.failed_step.feedback or "")
    assert not is_certified(load_package(manifest, strict=False), engine=engine, profile=PROFILES.get(world))


def test_a_guide_world_without_readme_is_refused_by_todays_rules(tmp_path: Path) -> None:
    WORLDS["guide"](tmp_path / "theirs")
    manifest = tmp_path / "theirs" / "coworld_manifest.json"
    engine = ProcessEngine(LocalImages.beside(manifest))
    for profile in ("current", "0.1.26"):
        report = certify(manifest, engine=engine, workspace=tmp_path / "out", profile=profile)
        assert report.failed_step is not None and report.failed_step.id == "matriculate"
        assert "game.docs.readme: is required" in (report.failed_step.feedback or "")


def test_a_world_of_the_first_release_needs_no_documents(tmp_path: Path) -> None:
    WORLDS["guide"](tmp_path / "theirs")
    manifest = tmp_path / "theirs" / "coworld_manifest.json"
    document = json.loads(manifest.read_bytes())
    del document["game"]["docs"], document["tags"]
    manifest.write_text(json.dumps(document))
    engine = ProcessEngine(LocalImages.beside(manifest))
    assert certify(manifest, engine=engine, workspace=tmp_path / "a", profile="0.1.0").certified
    assert not certify(manifest, engine=engine, workspace=tmp_path / "b").certified


def test_a_reporter_of_an_older_contract_reads_its_request(tmp_path: Path) -> None:
    WORLDS["0.1.26"](tmp_path / "theirs")
    manifest = tmp_path / "theirs" / "coworld_manifest.json"
    said = coworld("run-episode", manifest, "-o", tmp_path / "out")
    assert said.code == 0, said.err
    page = tmp_path / "report.md"
    said = coworld("report", manifest, tmp_path / "out", "-o", tmp_path / "report.zip", "--render", page)
    assert said.code == 0, said.err
    scores = json.loads((tmp_path / "out" / "results.json").read_bytes())["scores"]
    assert page.read_text() == f"success: {MARKER}, scores {scores}"


def test_a_copy_of_paint_arena_in_a_mapped_folder_is_the_one_that_runs(tmp_path: Path) -> None:
    server = tmp_path / "coworld" / "examples" / "paintarena" / "game" / "server.py"
    server.parent.mkdir(parents=True)
    server.write_text(RAISES)
    images = LocalImages.beside(None, [f"softmax/paintarena:latest={tmp_path}"])
    local = images.find("softmax/paintarena:latest")
    program = program_of(local, local.argv)
    assert program.main == server and program.interpreter.how == "clean"
    assert ProcessEngine(images).resolve(local.image).how.endswith("Python: clean")


def test_the_record_names_the_python_of_a_path_that_the_mapping_sets(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    entry = {"root": ".", "argv": ["python", "server.py"], "env": {"PATH": str(tmp_path / "bin")}}
    (tmp_path / "coworld_local.json").write_text(json.dumps({"images": {"theirs:1": entry}}))
    local = LocalImages.beside(tmp_path / "coworld_manifest.json").find("theirs:1")
    program = program_of(local, local.argv)
    assert program.argv == ["python", "server.py"]
    assert program.record(local)["interpreter"] == str(tmp_path / "bin" / "python")
    assert program.record(local)["python"] == "PATH of the mapping"


def test_a_package_that_ours_would_hide_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mettagrid").mkdir()
    (tmp_path / "mettagrid" / "__init__.py").touch()
    (tmp_path / "server.py").write_text("import mettagrid\n")
    entry = {"root": ".", "argv": ["python", "server.py"], "packages": ["coworld"]}
    (tmp_path / "coworld_local.json").write_text(json.dumps({"images": {"theirs:1": entry}}))
    engine = ProcessEngine(LocalImages.beside(tmp_path / "coworld_manifest.json"))
    with pytest.raises(EngineError, match=r"which hide its own .*/mettagrid\. Remove `packages`"):
        engine.resolve("theirs:1")


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"packages": ["numpy"]}, "`packages` in .* must be a list of bitworld, cogames"),
        ({"python": "nowhere"}, "`python` in .* must be the folder of a virtual environment"),
    ],
)
def test_a_mapping_with_an_interpreter_that_is_none_is_refused(
    entry: dict[str, object], sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "coworld_local.json").write_text(json.dumps({"images": {"theirs:1": entry}}))
    with pytest.raises(LocalImagesError, match=sentence):
        LocalImages.beside(tmp_path / "coworld_manifest.json")


def test_all_our_packages_are_known_by_name() -> None:
    packages = Path(__file__).parents[3]
    names = {folder.name.replace("-", "_") for folder in packages.iterdir() if (folder / "pyproject.toml").is_file()}
    assert names == set(OURS)
