"""The tutorials in docs/tutorials run as scripts and as notebooks, and all their forms say the same.

Every tutorial runs as a script, one also as a notebook; with TUTORIAL_NOTEBOOKS=all (`make soak`) all of them do.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import cogbox
from tests.support import ROOT, missing

FOLDER = ROOT / "docs" / "tutorials"
NAMES = ["evaluate_policy", "submit_policy", "train_policy", "train_specialist", "write_policy"]
RUN_AS_NOTEBOOKS = NAMES if os.environ.get("TUTORIAL_NOTEBOOKS") == "all" else ["write_policy"]


PASSING = re.compile(
    r"(?<![\w.])/(home|root|tmp|usr|var|work|Users|opt|private)\b"  # folders
    r"|0x[0-9a-f]{6}|\d ?(ms|seconds)\b|20\d\d-\d\d|127\.0\.0\.1:\d"  # places in memory, times, dates, ports
)


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """With a sandbox that starts quickly, which one tutorial needs; what is printed keeps its order."""
    os.environ["COGBOX_LEVEL"] = "bubblewrap"
    try:
        cogbox.sandbox()
    except cogbox.LevelMissing as error:
        missing(f"no sandbox works here: {error}")
    finally:
        del os.environ["COGBOX_LEVEL"]
    return {**os.environ, "COGBOX_LEVEL": "bubblewrap", "PYTHONUNBUFFERED": "1"}


def docsync(*words: object, **more: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cogames", "docsync", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **more)  # type: ignore[call-overload]


def displayed_lines(name: str) -> list[str]:
    """Return all lines that the cells of a notebook are shown to print."""
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text())["cells"]
    texts = ("".join(output["text"]) for cell in cells for output in cell.get("outputs", []))
    return [line for text in texts for line in text.splitlines() if line]


def test_every_tutorial_exists_in_all_formats() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == NAMES
    assert sorted(path.stem for path in FOLDER.glob("*.md")) == NAMES
    assert {*NAMES} <= {path.stem for path in FOLDER.glob("*.py")}  # whoever ran a notebook here has more


@pytest.mark.slow
def test_notebooks_reproduce_their_outputs_and_pages(environment: dict[str, str], tmp_path: Path) -> None:
    for name in RUN_AS_NOTEBOOKS:
        for path in FOLDER.glob(f"{name}.*"):
            shutil.copy(path, tmp_path)
    ran = docsync("check", tmp_path, env=environment)
    assert (ran.returncode, ran.stdout) == (0, f"{len(RUN_AS_NOTEBOOKS)} tutorials are in sync\n"), ran.stderr


def test_the_default_folder_is_in_sync() -> None:
    ran = docsync("check", "--skip-rerun")
    assert (ran.returncode, ran.stdout) == (0, f"{len(NAMES)} tutorials are in sync\n"), ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_script_prints_the_outputs_of_its_notebook(name: str, environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(FOLDER / f"{name}.py")]
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert ran.returncode == 0, ran.stdout
    printed = iter(ran.stdout.splitlines())
    missing_lines = [line for line in displayed_lines(name) if line not in printed]
    assert not missing_lines, f"{missing_lines[0]!r} is not in\n{ran.stdout}"


@pytest.mark.parametrize("name", NAMES)
def test_an_edited_copy_is_reported(name: str, tmp_path: Path) -> None:
    copy = shutil.copytree(FOLDER, tmp_path / "tutorials", ignore=shutil.ignore_patterns("*.cogreplay"))
    assert docsync("check", copy, "--skip-rerun").returncode == 0
    script = copy / f"{name}.py"
    script.write_text(script.read_text().replace("# ## ", "# ## Oh: ", 1))
    ran = docsync("check", copy, "--skip-rerun")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"Error: {copy / name}.ipynb is stale\n")


@pytest.mark.parametrize("name", NAMES)
def test_tutorials_contain_no_local_paths_or_times(name: str) -> None:
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text())
    nbformat.validate(notebook)
    assert all(cell.get("execution_count") is None and cell["metadata"] == {} for cell in notebook["cells"])
    page = (FOLDER / f"{name}.md").read_text()
    assert not [line for line in [*displayed_lines(name), *page.splitlines()] if PASSING.search(line)]
    assert str(ROOT) not in page
