"""The audit commands as a user has them, with the policies of this folder importable."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cogames.main import app


@dataclass(frozen=True)
class Ran:
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def failed(self) -> list[str]:
        """The names of the checks that failed."""
        lines = [line.strip() for line in self.out.splitlines()]
        return [line.removeprefix("FAIL  ").partition(":")[0] for line in lines if line.startswith("FAIL")]

    def line(self, start: str) -> str:
        """Return the only line that starts with a text."""
        (found,) = [line.strip() for line in self.out.splitlines() if line.strip().startswith(start)]
        return found

    def section(self, title: str) -> list[str]:
        """Return the lines below a title."""
        lines = self.out.splitlines()
        below = [*lines[lines.index(title) + 1 :], ""]
        return [line.strip() for line in below[: below.index("")]]


@pytest.fixture(autouse=True)
def _policies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Calls `cogames agents ...` in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(*words: object) -> Ran:
        result = CliRunner().invoke(app, ["agents", *map(str, words)])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.stderr
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run
