"""The command as people call it, and one episode that several tests look at."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from coworld.cli.packaged_docs import schema


@dataclass(frozen=True)
class Said:
    """How a call ended."""

    code: int
    out: str
    err: str

    def document(self, name: str) -> Any:
        """What `--json` printed, which must be as its schema says."""
        found = json.loads(self.out)
        jsonschema.validate(found, schema(name))
        return found


def coworld(*words: object) -> Said:
    """Call it in this process, which is quicker."""
    from coworld.main import app

    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
        app([str(word) for word in words], prog_name="coworld")
    assert "Traceback" not in err.getvalue(), err.getvalue()
    code = end.value.code
    return Said(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())


@contextmanager
def running(*words: object, until: str) -> Iterator[tuple[list[str], subprocess.Popen[str]]]:
    """Start a call and return the lines it printed up to one that contains `until`, and its process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "coworld", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    try:
        assert process.stdout is not None
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if until in line:
                break
        else:
            pytest.fail(f"it ended: {process.communicate()[1]}")
        yield lines, process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def episode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a quick match of Paint Arena."""
    folder = tmp_path_factory.mktemp("episode") / "results"
    call = ["run-episode", "paintarena", "--variant", "quick-small", "-o", str(folder)]
    # In a process of its own: where a browser is open, an event loop runs in this one.
    done = subprocess.run([sys.executable, "-W", "error", "-m", "coworld", *call], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"Artifacts: {folder}",
        f"Results: {folder}/results.json",
        "Scores: 0=14.0, 1=15.0",
        f"Replay: {folder}/replay",
        f"Logs: {folder}/logs",
        f"Inspect replay: coworld replay paintarena {folder}/replay",
        f"Inspect logs: ls {folder}/logs",
    ]
    return folder


@pytest.fixture
def pages(browser: Any) -> Iterator[Callable[[str], Any]]:
    """pages(address) opens a page; at the end nothing may have gone wrong in any of them."""
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    errors: list[str] = []

    def go(address: str) -> Any:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        return page

    yield go
    context.close()
    assert errors == []
