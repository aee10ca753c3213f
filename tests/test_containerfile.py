"""The Containerfile names packages, extras, folders and settings that exist; `make soak` builds and runs the image."""

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import wheelhouse
from observatory.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
TEXT = re.sub(r"^#.*\n", "", (ROOT / "Containerfile").read_text(), flags=re.M).replace("\\\n", " ")
INSTRUCTIONS = [tuple(line.split(None, 1)) for line in TEXT.splitlines() if line.strip()]
PROJECTS: dict[str, dict[str, Any]] = {
    project["name"]: project
    for path in ROOT.glob("packages/*/pyproject.toml")
    for project in [tomllib.loads(path.read_text())["project"]]
}


def values(instruction: str) -> list[str]:
    return [value for name, value in INSTRUCTIONS if name == instruction]


def arguments(instruction: str) -> dict[str, str]:
    """Return the NAME=VALUE pairs of ARG or ENV."""
    words = [word for value in values(instruction) for word in shlex.split(value)]
    return dict(word.split("=", 1) for word in words)


def test_it_installs_packages_and_extras_that_the_wheelhouse_has() -> None:
    wanted = [Requirement(word) for word in arguments("ARG")["PACKAGES"].split()]
    assert {"cogames", "coworld", "observatory"} <= {requirement.name for requirement in wanted}
    for requirement in wanted:
        assert requirement.extras <= PROJECTS[requirement.name]["optional-dependencies"].keys()
        assert requirement.extras <= Requirement(f"x{wheelhouse.EXTRAS[requirement.name]}").extras


def test_it_copies_the_wheelhouse_and_nothing_else_of_the_repository() -> None:
    sources = [value.split()[0] for value in values("COPY") if not value.startswith("--from=")]
    assert [ROOT / source for source in sources] == [wheelhouse.FOLDER]
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    rules = [line for line in lines if not line.startswith("#")]
    assert rules == ["*", *(f"!{source}" for source in sources)]


def test_the_last_stage_runs_a_command_of_ours_as_a_user() -> None:
    assert values("USER") == ["league"]
    (command,) = values("CMD")
    assert json.loads(command)[0] in PROJECTS["cogames"]["scripts"]
    assert "/opt/league/bin" in arguments("ENV")["PATH"].split(":")


def test_port_volume_and_variables_are_those_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OBSERVATORY_PORT", raising=False)
    variables = {name: value for name, value in arguments("ENV").items() if name.startswith("OBSERVATORY_")}
    assert {name.removeprefix("OBSERVATORY_").lower() for name in variables} <= Settings.model_fields.keys()
    assert values("EXPOSE") == [str(Settings().port)]
    assert values("VOLUME") == [variables["OBSERVATORY_DATA_DIR"]]


@pytest.mark.parametrize("word", ["gcc", "g++", "build-essential", "cmake", "apt-get"])
def test_no_step_installs_a_compiler(word: str) -> None:
    assert not [value for value in values("RUN") if word in value]
