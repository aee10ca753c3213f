"""The Containerfile names packages, extras, folders and settings that exist; `make soak` builds and runs its images."""

import json
import re
import shlex
import tomllib
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import wheelhouse
from cogsguard.coworld.images import GAME_IMAGE, PLAYER_IMAGE
from coworld.engines.local_images import LocalImages
from observatory.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ("league", "server", "worker", "runner", "cogsguard", "cogsguard-player")
PROJECTS: dict[str, dict[str, Any]] = {
    project["name"]: project
    for path in ROOT.glob("packages/*/pyproject.toml")
    for project in [tomllib.loads(path.read_text())["project"]]
}


@dataclass
class Stage:
    """One stage: its base and its instructions in order."""

    base: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def values(self, instruction: str) -> list[str]:
        return [value for name, value in self.instructions if name == instruction]

    def arguments(self, instruction: str) -> dict[str, str]:
        """Return the NAME=VALUE pairs of ARG or ENV."""
        words = [word for value in self.values(instruction) for word in shlex.split(value)]
        return dict(word.split("=", 1) for word in words)


def read_stages() -> dict[str, Stage]:
    text = re.sub(r"^#.*\n", "", (ROOT / "Containerfile").read_text(), flags=re.M).replace("\\\n", " ")
    stages: dict[str, Stage] = {}
    current = Stage("")
    for line in text.splitlines():
        if not line.strip():
            continue
        name, value = line.split(None, 1)
        if name == "FROM":
            base, _, stage = value.split()
            current = stages[stage] = Stage(base)
        else:
            current.instructions.append((name, value))
    return stages


STAGES = read_stages()


def installed(stage: Stage) -> list[Requirement]:
    """Return what a stage installs from the wheelhouse."""
    command = " ".join(stage.values("RUN"))
    packages = stage.arguments("ARG").get("PACKAGES")
    words = packages.split() if packages else re.findall(r'"([^"]+)"', command.partition("&&")[0])
    return [Requirement(word) for word in words]


@pytest.mark.parametrize("name", [name for name in STAGES if name.startswith("install-")])
def test_stages_install_packages_and_extras_that_the_wheelhouse_has(name: str) -> None:
    wanted = installed(STAGES[name])
    assert wanted and STAGES[name].base == "wheels"
    for requirement in wanted:
        assert requirement.extras <= PROJECTS[requirement.name]["optional-dependencies"].keys()
        assert requirement.extras <= Requirement(f"x{wheelhouse.EXTRAS.get(requirement.name, '')}").extras


def test_the_default_image_has_every_command() -> None:
    assert list(STAGES)[-1] == "league"
    assert {"cogames", "coworld", "observatory"} <= {package.name for package in installed(STAGES["install-league"])}


def test_only_the_wheelhouse_is_copied_from_the_repository() -> None:
    copied = [value for stage in STAGES.values() for value in stage.values("COPY") if not value.startswith("--from=")]
    sources = [value.split()[0] for value in copied]
    assert [ROOT / source for source in sources] == [wheelhouse.FOLDER]
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == ["*", *(f"!{source}" for source in sources)]


@pytest.mark.parametrize("name", TARGETS)
def test_images_run_a_command_of_ours_as_a_user(name: str) -> None:
    stage, user = STAGES[name], STAGES["user"]
    assert stage.base == "user" and user.values("USER") == ["league"] and not stage.values("USER")
    assert "/opt/league/bin" in user.arguments("ENV")["PATH"].split(":")
    (copied,) = stage.values("COPY")
    source = re.fullmatch(r"--from=(\S+) /opt/league /opt/league", copied)
    assert source is not None
    packages = {requirement.name for requirement in installed(STAGES[source[1]])}
    (command,) = stage.values("CMD")
    words: list[str] = json.loads(command)
    if words[:2] == ["python", "-m"]:
        assert find_spec(words[2]) is not None and words[2].partition(".")[0] in packages
    else:
        assert words[0] in {script for package in packages for script in PROJECTS[package]["scripts"]}


def test_images_of_the_game_run_the_commands_that_local_episodes_run() -> None:
    for name, image in {"cogsguard": GAME_IMAGE, "cogsguard-player": PLAYER_IMAGE}.items():
        (command,) = STAGES[name].values("CMD")
        assert json.loads(command) == list(LocalImages.beside(None).find(image).argv)


@pytest.mark.parametrize("name", ["league", "server"])
def test_port_volume_and_variables_are_those_of_the_server(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OBSERVATORY_PORT", raising=False)
    stage = STAGES[name]
    variables = stage.arguments("ENV")
    assert {name.removeprefix("OBSERVATORY_").lower() for name in variables} <= Settings.model_fields.keys()
    assert stage.values("EXPOSE") == [str(Settings().port)]
    assert stage.values("VOLUME") == [variables["OBSERVATORY_DATA_DIR"]]


def test_the_comment_lists_every_image() -> None:
    head = (ROOT / "Containerfile").read_text().partition("\nARG ")[0]
    assert tuple(re.findall(r"^#     ([a-z-]+) {2,}\S", head, re.MULTILINE)) == TARGETS
    hidden = {"wheels", "user", *(name for name in STAGES if name.startswith("install-"))}
    assert set(STAGES) - hidden == set(TARGETS)


@pytest.mark.parametrize("word", ["gcc", "g++", "build-essential", "cmake", "apt-get"])
def test_no_step_installs_a_compiler(word: str) -> None:
    assert not [value for stage in STAGES.values() for value in stage.values("RUN") if word in value]
