"""The command line as a user has it, in an empty folder."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cogbox
from cogames.main import app
from tests.support import missing


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """Return the line that says what was wrong."""
        return next(line for line in self.err.splitlines() if line.startswith("Error"))

    @property
    def hints(self) -> list[str]:
        return [line.removeprefix("hint: ") for line in self.err.splitlines() if line.startswith("hint: ")]


NEEDS_SANDBOX = {"validate-bundle", "--isolate"}


@pytest.fixture
def cogames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Ran]]:
    """Calls the command in this process: `cogames("play", "-m", "arena")`. The working folder is `tmp_path`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COGBOX_LEVEL", "bubblewrap")  # a container takes seconds to prove itself
    monkeypatch.setattr(sys, "path", list(sys.path))
    modules = set(sys.modules)

    def run(*words: object) -> Ran:
        if NEEDS_SANDBOX & set(words):
            _require_sandbox()
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        # Those of a policy's code are indented, or come from a thread of it.
        ours = [line for line in result.stderr.splitlines() if not line.startswith(("  ", "[step "))]
        assert "Traceback" not in "\n".join(ours)
        return Ran(result.exit_code, result.stdout, result.stderr)

    yield run
    for name in set(sys.modules) - modules:
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and Path(file).is_relative_to(tmp_path):
            del sys.modules[name]


def _require_sandbox() -> None:
    try:
        cogbox.sandbox()
    except cogbox.LevelMissing as error:
        missing(f"no sandbox works here: {error}")
