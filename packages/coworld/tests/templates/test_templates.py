"""Every template plays and certifies as it is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from coworld.bundle import write_bundle
from coworld.certification.certify import certify
from coworld.engines.local_images import LocalImages
from coworld.engines.process import ProcessEngine
from coworld.roles.report_checks import read_report
from coworld.templates import TEMPLATES, TemplateError, write_template
from tests.support import missing, require_tool

WEB = Path(__file__).resolve().parents[4] / "web"
NEEDS = {"typescript": "node", "cpp": "c++"}


@pytest.mark.slow
@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_plays_and_certifies_unedited(template: str, tmp_path: Path) -> None:
    if template in NEEDS:
        require_tool(NEEDS[template])
    folder = tmp_path / "mine"
    write_template(template, folder)
    if template == "cpp":
        subprocess.run(["make", "-s"], cwd=folder, check=True)
    manifest = folder / "coworld_manifest.json"
    workspace = tmp_path / "workspace"
    report = certify(manifest, engine=ProcessEngine(LocalImages.beside(manifest)), workspace=workspace)
    assert report.certified, report.text()
    # The newer rules take no container as a reporter.
    profiles = ["0.1.0", "guide", "0.1.26", *([] if template == "reporter" else ["current"])]
    assert [verdict.profile for verdict in report.profiles if verdict.passes] == profiles
    if TEMPLATES[template].role == "player":
        assert report.scores is not None and report.scores[0] > 10, "the new player is in seat 0 and paints"
    if TEMPLATES[template].role in ("reporter", "grader", "diagnoser"):
        check_one_shot_role(template, folder, workspace, tmp_path)


def check_one_shot_role(role: str, folder: Path, workspace: Path, tmp_path: Path) -> None:
    bundle, output = tmp_path / "episode.zip", tmp_path / "output"
    write_bundle(workspace, bundle)
    variables = {
        "COGAME_EPISODE_BUNDLE_URI": bundle.as_uri(),
        "COGAME_TARGET_POLICY_URI": "slot=0",
        "COGAME_REPORT_URI": output.as_uri(),
        "COGAME_GRADE_URI": output.as_uri(),
        "COGAME_DIAGNOSIS_URI": output.as_uri(),
    }
    subprocess.run([sys.executable, f"{role}.py"], cwd=folder, env=os.environ | variables, check=True)
    if role == "grader":
        assert 0 <= json.loads(output.read_text())["score"] <= 1
    elif role == "reporter":
        report = read_report(output)
        assert report.render is not None and "Sweep" in report.render[1]
    else:
        with zipfile.ZipFile(output) as archive:
            assert archive.namelist() == ["manifest.json", "diagnosis.md", "findings.json"]


def test_the_optimizer_template_plans_from_grades(tmp_path: Path) -> None:
    write_template("optimizer", tmp_path / "mine")
    grade, plan = tmp_path / "grade.json", tmp_path / "plan.json"
    grade.write_text('{"score": 0.25}')
    variables = {
        "COWORLD_MANIFEST_URI": (tmp_path / "mine" / "coworld_manifest.json").as_uri(),
        "COGAME_GRADER_OUTPUT_URIS": grade.as_uri(),
        "COGAME_OPTIMIZER_OUTPUT_URI": plan.as_uri(),
    }
    subprocess.run([sys.executable, "optimizer.py"], cwd=tmp_path / "mine", env=os.environ | variables, check=True)
    document = json.loads(plan.read_text())
    assert document["input_counts"] == {"reports": 0, "grader_outputs": 1, "diagnoser_outputs": 0}
    assert "0.25" in document["recommendations"][0]


TRANSPILE = """
import ts from "COMPILER";
import { readFileSync } from "node:fs";
const { config } = ts.parseConfigFileTextToJson("tsconfig.json", readFileSync("tsconfig.json", "utf8"));
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ".");
process.stdout.write(ts.transpileModule(readFileSync("player.ts", "utf8"), { compilerOptions: options }).outputText);
"""


def test_the_compiled_player_is_what_its_typescript_compiles_to(tmp_path: Path) -> None:
    require_tool("node")
    compiler = WEB / "node_modules" / "typescript" / "lib" / "typescript.js"
    if not compiler.exists():
        missing("the web's modules are not installed")
    write_template("typescript", tmp_path / "mine")
    script = TRANSPILE.replace("COMPILER", compiler.as_uri())
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", script], cwd=tmp_path / "mine", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (tmp_path / "mine" / "compiled" / "player.js").read_text()


def test_a_template_is_written_only_into_an_empty_folder_and_under_a_usable_name(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(TemplateError, match="is not empty"):
        write_template("python", tmp_path / "full")
    with pytest.raises(TemplateError, match="no template 'pascal'"):
        write_template("pascal", tmp_path / "new")
    with pytest.raises(TemplateError, match="cannot be part of an image's name"):
        write_template("python", tmp_path / "new", name="My Player")
    assert not (tmp_path / "new").exists()
    written = write_template("python", tmp_path / "My Player")
    assert (tmp_path / "My Player" / ".coworld-project").read_text() == "player\n"
    assert {path.name for path in written} >= {"player.py", "Dockerfile", "AGENTS.md", "CLAUDE.md", "README.md"}
    assert all("{{" not in path.read_text() for path in written)
    manifest = json.loads((tmp_path / "My Player" / "coworld_manifest.json").read_text())
    assert manifest["player"][0]["image"] == "my-player:latest"
