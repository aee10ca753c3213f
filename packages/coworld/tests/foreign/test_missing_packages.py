"""A mapped folder that imports ours without saying so: every failure tells how to make it importable."""

from __future__ import annotations

import json
from pathlib import Path

from coworld.certification.certify import certify
from coworld.engines.local_images import LocalImages
from coworld.engines.missing_packages import missing_package_advice
from coworld.engines.process import ProcessEngine
from coworld.templates import write_template

from ..cli.conftest import coworld
from .authors import WORLDS

ADVICE = '"packages": ["coworld"] to the image in coworld_local.json'


def test_a_game_that_imports_ours_learns_how_and_then_runs(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    write_template("game", folder, name="theirs")
    server = folder / "game_server.py"
    server.write_text(f"import coworld.types\n{server.read_text()}")
    manifest, mapping = folder / "coworld_manifest.json", folder / "coworld_local.json"
    said = coworld("run-episode", manifest, "-o", tmp_path / "out")
    assert said.code == 1
    assert "ModuleNotFoundError: No module named 'coworld'" in said.err and ADVICE in said.err
    report = certify(manifest, engine=ProcessEngine(LocalImages.beside(manifest)), workspace=tmp_path / "certified")
    assert report.failed_step is not None and ADVICE in (report.failed_step.feedback or "")
    document = json.loads(mapping.read_text())
    for entry in document["images"].values():
        entry["packages"] = ["coworld"]
    mapping.write_text(json.dumps(document))
    said = coworld("run-episode", manifest, "-o", tmp_path / "out")
    assert said.code == 0, said.err


def test_a_reporter_that_imports_ours_learns_how(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    WORLDS["0.1.26"](folder)
    manifest = folder / "coworld_manifest.json"
    assert coworld("run-episode", manifest, "-o", tmp_path / "out").code == 0
    (folder / "reporter.py").write_text("from coworld.report import write_report\n")
    said = coworld("report", manifest, tmp_path / "out", "-o", tmp_path / "report.zip")
    assert said.code == 1
    assert ADVICE in said.err


def test_only_our_own_installed_packages_are_offered() -> None:
    missing = "ModuleNotFoundError: No module named '{}'\n"
    assert missing_package_advice(missing.format("numpy"), "a") is None
    # A package of that name is there, and has no such module.
    assert missing_package_advice(missing.format("coworld.nothing"), "a") is None
    assert missing_package_advice("Traceback\n" + missing.format("mettagrid"), "a") is not None
