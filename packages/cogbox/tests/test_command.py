"""`python -m cogbox doctor` and `python -m cogbox run`."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cogbox import Level
from cogbox.__main__ import main
from packages.cogbox.tests.conftest import available

Ran = subprocess.CompletedProcess[str]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`cogbox run` at one level, in this process, which has tested that level already."""
    available(Level.NAMESPACES)

    def called(*words: str) -> Ran:
        code = main(["run", "--level", "namespaces", *words])
        return Ran(words, code, *capfd.readouterr())

    return called


def cogbox(*words: str, path: Path) -> Ran:
    """Return the command itself, with another PATH."""
    environment = {**os.environ, "PATH": str(path)}
    return subprocess.run([sys.executable, "-m", "cogbox", *words], capture_output=True, text=True, env=environment)


def test_run_prints_the_output_on_stdout_and_the_verdict_on_stderr(run: Callable[..., Ran]) -> None:
    ran = run("--", "sh", "-c", "echo out; echo err >&2")
    assert (ran.returncode, ran.stdout) == (0, "out\n")
    first, last = ran.stderr.splitlines()
    assert first == "err"
    assert last.startswith("cogbox: ok: ended with exit code 0 (") and "level namespaces" in last


def test_run_gives_the_exit_code_on(run: Callable[..., Ran]) -> None:
    assert run("--", "sh", "-c", "exit 7").returncode == 7


def test_run_fails_when_a_limit_is_met(run: Callable[..., Ran]) -> None:
    ran = run("--seconds", "0.2", "--", "sleep", "60")
    assert ran.returncode == 1
    assert "cogbox: time: ran longer than 0.2 s" in ran.stderr


def test_run_prints_json_and_nothing_else(run: Callable[..., Ran]) -> None:
    ran = run("--json", "--env", "A=b=c", "--", "sh", "-c", "echo $A")
    told = json.loads(ran.stdout)
    assert (told["verdict"], told["stdout"], told["level"]) == ("ok", "b=c\n", "namespaces")
    assert ran.stderr == ""


def test_run_shows_a_folder_where_it_is_wanted(run: Callable[..., Ran]) -> None:
    folder = Path("/tmp") / f"cogbox-command-{os.getpid()}"
    folder.mkdir(mode=0o755)
    try:
        (folder / "file").write_text("content")
        ran = run("--mount", f"{folder}:/data", "--", "cat", "/data/file")
    finally:
        (folder / "file").unlink()
        folder.rmdir()
    assert ran.stdout == "content", ran.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--env", "NOVALUE"), "write NAME=VALUE"),
        (("--link", "80"), "write PORT=HOST:PORT"),
        (("--mount", "/no/such/folder"), "/no/such/folder"),
        (("--memory", "0"), "memory"),
    ],
)
def test_run_refuses_nonsense_in_one_line(run: Callable[..., Ran], words: tuple[str, str], said: str) -> None:
    ran = run(*words, "--", "true")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert said in ran.stderr and len(ran.stderr.splitlines()) == 1


def test_run_reports_why_a_level_is_missing(tmp_path: Path) -> None:
    ran = cogbox("run", "--minimum", "container", "--", "true", path=tmp_path)
    assert ran.returncode == 1
    assert "`podman` is not installed" in ran.stderr and "Traceback" not in ran.stderr


def test_the_doctor_reports_every_level_and_remedies(tmp_path: Path) -> None:
    ran = cogbox("doctor", path=tmp_path)
    assert [line.split()[1] for line in ran.stdout.splitlines() if line[:2] in ("+ ", "- ")] == [
        "container",
        "bubblewrap",
        "namespaces",
        "landlock",
        "none",
    ]
    assert "install the package" in ran.stdout
    told = json.loads(cogbox("doctor", "--json", path=tmp_path).stdout)
    missing = {level["level"]: level["reason"] for level in told["levels"] if not level["works"]}
    assert "podman" in missing["container"] and "bubblewrap" in missing["bubblewrap"]
    assert told["chosen"] in ("namespaces", "landlock", None)
