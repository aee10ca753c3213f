"""Every example of every `--help` is run as it is printed."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from coworld.bundle import write_bundle
from coworld.cli.server_json_output import SERVER_DOCUMENTS
from coworld.main import COMMANDS
from coworld.manifest.schema_files import PACKAGE, SCHEMA_PATHS
from coworld.stats.paintarena import extract_batch
from coworld.templates import write_template
from tests.support import require_tool
from tests.wheels.podman import podman

from ..build.project import write_project
from .conftest import coworld


def functions() -> Iterator[tuple[list[str], object]]:
    """The words and the function of every command."""
    for entry in COMMANDS:
        if entry.instead:
            continue
        module, _, attribute = entry.target.partition(":")
        loaded = getattr(importlib.import_module(module), attribute)
        if not isinstance(loaded, list):
            yield [entry.name], loaded
            continue
        for sub in loaded:
            module, _, attribute = sub.target.partition(":")
            yield [entry.name, sub.name], getattr(importlib.import_module(module), attribute)


EXAMPLES = [
    line
    for words, function in functions()
    if words[0] not in SERVER_DOCUMENTS
    for line in getattr(function, "epilog", "").splitlines()
]
"""those of commands that call a server are run by `tests/server/test_examples.py`"""
SERVES = {"play": "Admin:", "replay": "Replay:", "optimize paintarena": "Workbench:"}
"""commands that serve until an interrupt, and the line that they print once they do"""


@pytest.fixture
def image() -> Iterator[str]:
    """The name of an image to build; what was built under it is removed."""
    name = f"coworld-example-{uuid.uuid4().hex[:12]}"
    yield f"{name}:latest"
    if shutil.which("podman"):
        listed = podman("images", "--quiet", "--no-trunc", f"--filter=reference=localhost/{name}")
        if ids := sorted({line.strip() for line in listed.splitlines()}):
            podman("rmi", "--force", *ids)


def prepare(folder: Path, words: list[str], episode: Path, image: str) -> None:
    """What an example reads is there before it runs."""
    if words[1] == "build":
        require_tool("podman")
        project = write_project(folder / "my-game" if "my-game" in words else folder, image)
        (project / "hello").write_text("a program")
    if "coworld_manifest.json" in words:
        write_template("python", folder, name="my-player")
    if "Dockerfile" in words:
        write_template("python", folder)
    if "my-player" in words and words[1] == "optimize":
        player = folder / "my-player"
        write_template("python", player)
        (player / "improve.py").write_text('open("player.py", "a").write("# better\\n")\n')
        (player / "improve.sh").write_text("#!/bin/sh\necho '# better' >> player.py\n")
        (player / "improve.sh").chmod(0o755)
    if "results" in words or "results/replay" in words:
        shutil.copytree(episode, folder / "results")
    if "episode.zip" in words and "--output" not in words:
        write_bundle(episode, folder / "episode.zip")
    if "older-coworld" in words:
        for name in SCHEMA_PATHS.values():
            (folder / "older-coworld" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PACKAGE / name, folder / "older-coworld" / name)
    if "inputs.json" in words or "stats.json" in words:
        replay = folder / "replay"
        shutil.copy(episode / "replay", replay)
        digest = hashlib.sha256(replay.read_bytes()).hexdigest()
        entry = {"path": "replay", "episode_id": "one", "game_id": "paintarena", "replay_sha256": digest}
        (folder / "inputs.json").write_text(json.dumps([entry]))
    if "stats.json" in words:
        extract_batch(folder / "inputs.json", folder / "made", workers=1)
        shutil.copy(folder / "made" / "stats.json", folder)


def test_every_command_has_examples_and_shows_them() -> None:
    for words, function in functions():
        lines = getattr(function, "epilog", "").splitlines()
        assert lines, f"`coworld {' '.join(words)}` has no example"
        shown = coworld(*words, "--help").out
        assert all(line in shown for line in lines)
        assert all(shlex.split(line)[: len(words) + 1] == ["coworld", *words] for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs_as_it_is_printed(example: str, episode: Path, tmp_path: Path, image: str) -> None:
    words = shlex.split(example)
    folder = tmp_path / "here"
    folder.mkdir()
    prepare(folder, words, episode, image)
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    process = subprocess.Popen(
        [sys.executable, "-m", "coworld", *words[1:]],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    try:
        assert process.stdout is not None
        until = next((line for call, line in SERVES.items() if example.startswith(f"coworld {call} ")), None)
        if until is not None:
            found = any(until in line for line in process.stdout)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            assert found and "Traceback" not in errors, errors
            return
        _, errors = process.communicate(timeout=240)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, errors
