"""Every command that the pages about Coworlds show is run, page by page, each in an empty folder."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, missing

PAGES = sorted((ROOT / "docs" / "coworld").glob("*.md"))
NEEDS_A_SERVER = "leagues"
"""packages/coworld/tests/server/test_documents.py runs this page"""
PATIENCE = 300


def commands(page: Path) -> list[str]:
    blocks = re.findall(r"^```console\n(.*?)^```", page.read_text(), flags=re.S | re.M)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def serves(command: str) -> bool:
    return command.startswith("coworld replay ")


def run(command: str, folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}" if serves(command) else command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    if serves(command):
        assert process.stdout is not None
        assert process.stdout.readline().startswith("Replay: http")
        process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, f"{command}\n{out}\n{errors}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if commands(page) and page.stem != NEEDS_A_SERVER], ids=lambda page: page.stem
)
def test_every_command_of_a_page_works(page: Path, tmp_path: Path) -> None:
    for command in commands(page):
        if "make" in command.split() and not any((Path(p) / "c++").exists() for p in os.environ["PATH"].split(":")):
            missing("no C++ compiler is installed")
        run(command, tmp_path)


def test_the_reference_has_every_command_and_option() -> None:
    from coworld.main import COMMANDS

    text = (ROOT / "docs" / "coworld" / "cli.md").read_text()
    for entry in COMMANDS:
        assert f"`{entry.name}" in text or f"**`{entry.name}" in text, entry.name
        command = entry.load()
        subs = [command.commands[name] for name in command.commands] if hasattr(command, "commands") else [command]
        for sub in subs:
            for param in sub.params:
                named = [name for name in (*param.opts, *param.secondary_opts) if name.startswith("--")]
                assert not named or named == ["--help"] or any(name in text for name in named), (entry.name, named)
