"""Mappings from Dockerfiles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coworld.engines.dockerfiles import DockerfileError, read_dockerfile
from coworld.templates import write_template
from packages.coworld.tests.cli.conftest import coworld

WHOLE = """\
# a comment
FROM python:3.11-slim AS build
RUN make
FROM python:3.11-slim
ENV MODE=fast NAME="two words" PATH=/opt/bin
RUN apt-get update && \\
    pip install --no-cache-dir websockets==15 coworld[auth]
WORKDIR /srv
WORKDIR app
COPY --chown=1:1 . .
ENTRYPOINT ["python", "-u"]
CMD ["server.py"]
"""


def test_a_dockerfile_becomes_a_mapping(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(WHOLE)
    image = read_dockerfile(tmp_path / "Dockerfile")
    assert image.installs == ["websockets==15", "coworld[auth]"]
    assert image.mapping() == {
        "root": ".",
        "argv": ["python", "-u", "server.py"],
        "at": "/srv/app",
        "env": {"MODE": "fast", "NAME": "two words"},
        "packages": ["coworld"],
    }


@pytest.mark.parametrize(
    ("lines", "at"),
    [
        ("WORKDIR /app\nCOPY game.py page.html ./\nCMD run me", "/app"),
        ("COPY src/game.py /app/src/\nCMD x", "/app"),
        ("WORKDIR /app\nCOPY src ./src\nCOPY game.py .\nCMD x", "/app"),
    ],
)
def test_what_is_copied_says_where_the_folder_is_seen(lines: str, at: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "Dockerfile").write_text(f"FROM x\n{lines}\n")
    assert read_dockerfile(tmp_path / "Dockerfile").at == at


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("COPY --from=build /app/player /app/player\nCMD x", "line 2 .* copies from another stage"),
        ("COPY game.py /app/server.py\nCMD x", "seen as /app/server.py inside"),
        ("COPY a.py /app/\nCOPY b.py /srv/\nCMD x", "line 3 .* belongs to /srv"),
        ("WORKDIR /app", "neither CMD nor ENTRYPOINT"),
        ('CMD ["python"', "line 2"),
    ],
)
def test_what_no_folder_can_be_is_refused_with_its_line(lines: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(f"FROM x\n{lines}\n")
    with pytest.raises(DockerfileError, match=sentence):
        read_dockerfile(tmp_path / "Dockerfile")


@pytest.mark.parametrize("template", ["python", "commissioner"])
def test_a_template_runs_by_the_mapping_of_its_dockerfile(template: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    write_template(template, folder)
    side_file = folder / "coworld_local.json"
    side_file.unlink()
    said = coworld("map", folder / "Dockerfile", "--image", "mine:latest", "--json")
    assert said.code == 0, said.err
    assert said.document("map")["mapping"]["at"] == "/app"
    assert ("install websockets" in said.err) == (template == "python")
    assert json.loads(side_file.read_bytes())["images"]["mine:latest"].get("packages") == (
        ["coworld"] if template == "commissioner" else None
    )
    manifest = folder / "coworld_manifest.json"
    if template == "python":
        said = coworld("run-episode", manifest, "--variant", "quick-small", "-o", tmp_path / "out")
    else:
        said = coworld("certify", manifest, "--no-open-report", "-o", tmp_path / "out")
    assert said.code == 0, said.err + said.out
