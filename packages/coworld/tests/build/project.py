"""A project to build: a compose file, a template and a Dockerfile without a base image."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.coworld_documents import manifest_document

DOCKERFILE = """\
FROM scratch AS base
COPY word /word
FROM base AS game
ARG GREETING=none
ENV GREETING=${GREETING}
COPY hello /hello
ENTRYPOINT ["/hello"]
FROM base AS other
"""
PROGRAM = """\
#include <cstdio>
#include <cstdlib>
int main(int count, char** words) { std::printf("%s %s\\n", std::getenv("GREETING"), words[count - 1]); }
"""


def template_document() -> dict[str, Any]:
    """Return a template with one image for the game and its players."""
    document = manifest_document()
    del document["game"]["version"]
    for section in ("commissioner", "grader", "diagnoser", "optimizer"):
        document.pop(section, None)
    for entry in (document["game"]["runnable"], *document["player"]):
        entry["image"] = "{{TINY_GAME_IMAGE}}"
    return document


def write_project(folder: Path, image: str, **template: Any) -> Path:
    """Write a project whose service `tiny-game` has this image, without its program."""
    folder.mkdir(exist_ok=True)
    build = {"context": ".", "target": "game", "args": {"GREETING": "${TINY_GREETING:-hello}"}}
    compose = {"services": {"tiny-game": {"image": image, "platform": "linux/amd64", "build": build}}}
    (folder / "compose.yaml").write_text(json.dumps(compose))  # JSON is YAML
    (folder / "Dockerfile").write_text(DOCKERFILE)
    (folder / "word").write_text("tiny")
    (folder / "coworld_manifest_template.json").write_text(json.dumps(template_document() | template))
    return folder


def commit(folder: Path, *, origin: str | None = None) -> str:
    """Make a Git repository of a folder, or commit its changes; return the commit."""

    def git(*words: str) -> str:
        identity = ["-c", "user.name=Author", "-c", "user.email=author@example.org", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(folder), *identity, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    if not (folder / ".git").exists():
        git("init", "--quiet", "--initial-branch=main")
        if origin:
            git("remote", "add", "origin", origin)
    git("add", "--all")
    git("commit", "--quiet", "--message=A change", "--date=2026-01-02T03:04:05Z")
    return git("rev-parse", "HEAD")
