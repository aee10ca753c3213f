"""The level of a box: the strongest that works, never weaker than requested."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cogbox
from cogbox import BadRequest, Level, LevelMissing, Link, Mount, Sandbox
from cogbox._guard import guard_path
from tests.support import require_tool

ASK = """
import json, sys
import cogbox
options = json.loads(sys.argv[1])
try:
    box = cogbox.sandbox(**options)
    result = box.run(["true"])
    print(json.dumps({"level": result.level.value, "verdict": result.verdict.value, "detail": result.detail}))
except cogbox.LevelMissing as error:
    reasons = {level.value: reason for level, reason in error.reasons.items()}
    print(json.dumps({"error": str(error), "reasons": reasons, "minimum": error.minimum.value}))
"""


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder of programs for PATH: the machine's own without container engines and bubblewrap."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "true", "env", "mount"):
        (folder / name).symlink_to(require_tool(name))
    return folder


def ask(path: Path, *, level: str = "", **options: str) -> dict[str, str]:
    """Return the result of `sandbox(**options)` in a fresh process with this PATH."""
    environment = {**os.environ, "PATH": str(path)} | ({"COGBOX_LEVEL": level} if level else {})
    ran = subprocess.run(
        [sys.executable, "-c", ASK, json.dumps(options)], env=environment, capture_output=True, text=True, check=True
    )
    return dict(json.loads(ran.stdout))


def orphans() -> set[str]:
    """Return programs of the self-test that still run without a parent."""
    found = set()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            if parent == "1" and b"_probe.py" in (entry / "cmdline").read_bytes():
                found.add(entry.name)
    return found


def test_without_an_engine_and_without_bubblewrap_the_next_level_is_taken(tools: Path) -> None:
    assert ask(tools) == {"level": "namespaces", "verdict": "ok", "detail": "ended with exit code 0"}


def test_with_bubblewrap_found_it_is_taken(tools: Path) -> None:
    (tools / "bwrap").symlink_to(require_tool("bwrap"))
    assert ask(tools)["level"] == "bubblewrap"


def test_a_missing_minimum_level_is_refused_with_a_remedy(tools: Path) -> None:
    told = ask(tools, minimum="bubblewrap")
    assert told["minimum"] == "bubblewrap"
    assert "No isolation of at least `bubblewrap` works here" in told["error"]
    assert "python -m cogbox doctor" in told["error"]
    assert "package `bubblewrap`" in told["reasons"]["bubblewrap"]
    assert "`podman` is not installed" in told["reasons"]["container"]
    assert "namespaces" not in told["reasons"]


def test_a_container_can_be_demanded_under_the_name_of_an_engine(tools: Path) -> None:
    assert ask(tools, minimum="docker")["minimum"] == "container"


def test_an_upper_bound_and_the_environment_lower_the_level(tools: Path) -> None:
    (tools / "bwrap").symlink_to(require_tool("bwrap"))
    assert ask(tools, at_most="namespaces")["level"] == "namespaces"
    assert ask(tools, level="namespaces")["level"] == "namespaces"
    told = ask(tools, level="namespaces", minimum="bubblewrap")
    assert told["reasons"]["bubblewrap"] == "not wanted"


def test_no_walls_are_never_chosen_unless_asked_for(tools: Path) -> None:
    assert "error" in ask(tools, at_most="none")
    assert ask(tools, level="none")["minimum"] == "landlock"
    assert ask(tools, minimum="none", at_most="none")["level"] == "none"


def test_a_bubblewrap_that_builds_no_walls_is_found_out(tools: Path) -> None:
    fake = tools / "bwrap"
    fake.write_text(f'#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift 2\nexec {guard_path()} "$@"\n')
    fake.chmod(0o755)
    before = orphans()
    told = ask(tools, minimum="bubblewrap")
    assert "self-test" in told["reasons"]["bubblewrap"]
    assert ask(tools)["level"] == "namespaces"
    assert orphans() <= before


def test_a_bubblewrap_that_does_not_start_is_found_out(tools: Path) -> None:
    fake = tools / "bwrap"
    fake.write_text("#!/bin/sh\necho kernel says no >&2\nexit 1\n")
    fake.chmod(0o755)
    assert "kernel says no" in ask(tools, minimum="bubblewrap")["reasons"]["bubblewrap"]


def test_levels_have_an_order_and_names() -> None:
    assert [level.value for level in sorted(Level)] == ["none", "landlock", "namespaces", "bubblewrap", "container"]
    assert Level.CONTAINER >= Level.BUBBLEWRAP > Level.NAMESPACES > Level.LANDLOCK > Level.NONE
    assert Level.NAMESPACES <= Level.NAMESPACES
    assert Level.named("podman") is Level.named("docker") is Level.named(Level.CONTAINER) is Level.CONTAINER
    with pytest.raises(ValueError, match="allowed: none, landlock, namespaces, bubblewrap, container"):
        Level.named("chroot")


@pytest.mark.parametrize("level", [Level.LANDLOCK, Level.NONE])
def test_unsupported_options_of_a_level_are_refused(level: Level) -> None:
    with pytest.raises(BadRequest, match="network namespace"):
        Sandbox(level).start(["true"], links=[Link(7000, ("127.0.0.1", 80))], python=False)
    with pytest.raises(BadRequest, match="mount namespace"):
        Sandbox(level).start(["true"], mounts=[Mount(Path("/usr/bin"), Path("/elsewhere"))], python=False)


def test_one_call_runs_a_command_in_the_strongest_box() -> None:
    result = cogbox.run(["echo", "hello"], minimum="landlock")
    assert result.stdout == b"hello\n"
    assert result.level > Level.NONE


def test_the_error_has_the_minimum_and_the_reasons() -> None:
    error = LevelMissing(Level.CONTAINER, {Level.CONTAINER: "no engine"})
    assert error.minimum is Level.CONTAINER
    assert "container: no engine" in str(error)


def test_a_proof_is_remembered_for_the_tools_it_was_made_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = Path("/run/cogbox") if os.geteuid() == 0 else tmp_path / "cogbox"
    path = Path(os.environ["PATH"].split(":")[0])
    before = ask(path, minimum="namespaces", at_most="namespaces")
    assert before["level"] == "namespaces"
    proofs = set((folder / "proofs").iterdir())
    assert proofs and (folder / "proofs").stat().st_mode & 0o077 == 0
    # With another bubblewrap in the way, what was proved before says nothing.
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    ask(tmp_path, minimum="namespaces", at_most="namespaces")
    assert set((folder / "proofs").iterdir()) - proofs
    assert ask(tmp_path, minimum="bubblewrap", at_most="bubblewrap").get("level") is None
