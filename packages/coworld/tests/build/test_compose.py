"""Compose files as authors write them: which images they name, and which files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from coworld.build.compose import read_compose
from coworld.build.errors import ComposeError
from coworld.build.interpolation import interpolate


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "My Game"
    (folder / "bot").mkdir(parents=True)
    for path in (folder / "Dockerfile", folder / "bot" / "Dockerfile.slim"):
        path.write_text("FROM scratch\n")
    return folder


def compose(project: Path, text: str) -> Path:
    (project / "compose.yaml").write_text(text)
    return project / "compose.yaml"


def test_services_with_images_builds_arguments_and_platforms(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FROM_HERE", "yes")
    monkeypatch.delenv("DOCKER_DEFAULT_PLATFORM", raising=False)
    (project / ".env").write_text("# a comment\nTAG='3.1'\n")
    text = """
x-common: &common {args: [A=1, FROM_HERE, NOT_SET], labels: {team: red}}
services:
  game-server:
    image: example/game:${TAG}
    platform: linux/arm64
    build: {<<: *common, context: .}
    ports: ["8080:8080"]
  bot:
    build:
      {context: bot, dockerfile: Dockerfile.slim, target: run, args: {N: 1.10, YES: on, MISSING: null}, network: host}
  judge:
    image: ghcr.io/someone/judge:latest
  debug:
    image: debugger
    profiles: [debug]
"""
    game, bot, judge = read_compose(compose(project, text))
    assert (game.image, game.platform, game.placeholder) == (
        "example/game:3.1",
        "linux/arm64",
        "{{GAME_SERVER_IMAGE}}",
    )
    assert game.build is not None and bot.build is not None and judge.build is None
    assert (game.build.args, game.build.labels) == ({"A": "1", "FROM_HERE": "yes"}, {"team": "red"})
    assert (bot.image, bot.platform) == ("mygame-bot:latest", "linux/amd64")
    assert bot.build.dockerfile == project / "bot" / "Dockerfile.slim"
    assert (bot.build.target, bot.build.network) == ("run", "host")
    assert bot.build.args == {"N": "1.10", "YES": "on"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "could not be read"),
        ("services: {}", "has no services"),
        ("- list", "has no services"),
        ("services: {game: 3}", "'game' is not a mapping"),
        ("services: {game: {ports: []}}", "neither `image` nor `build`"),
        ("services: {game: {build: {context: nowhere}}}", "is not a folder"),
        ("services: {game: {build: {dockerfile: None}}}", "does not exist"),
        ("services: {game: {build: {context: ., secrets: [x], ssh: y}}}", "uses secrets, ssh"),
        ("services: {game: {build: {context: ., platforms: [linux/amd64, linux/arm64]}}}", "2 platforms"),
        ("services: {game: {build: {args: 3}}}", "`args` of service 'game' is not a mapping"),
        ("services: {game: {build: [x]}}", "`build` of service 'game' is not a mapping"),
        ("services: {game: {image: 'x:${NOT_SET_HERE:?choose a tag}'}}", "NOT_SET_HERE: choose a tag"),
        ("include: [other.yaml]\nservices: {game: {image: x}}", "uses `include`"),
        ("services: {game: {extends: base}}", "uses `extends`"),
    ],
)
def test_a_file_that_cannot_be_built_is_refused_in_one_sentence(project: Path, text: str, message: str) -> None:
    with pytest.raises(ComposeError) as raised:
        read_compose(compose(project, text))
    assert message in str(raised.value) and raised.value.hint
    assert "\n" not in str(raised.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ComposeError, match=r"nothing\.yaml does not exist"):
        read_compose(tmp_path / "nothing.yaml")


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("$A-${A}", "1-1"),
        ("${B:-two} ${EMPTY:-full} ${EMPTY-full}", "two full "),
        ("${A:+set}${B:+set}${EMPTY+set}", "setset"),
        ("$$A $B", "$A "),
        ("${A:?must be set}", "1"),
    ],
)
def test_variables_follow_the_rules_of_compose(text: str, replaced: str) -> None:
    assert interpolate({"key": [text]}, {"A": "1", "EMPTY": ""}) == {"key": [replaced]}
