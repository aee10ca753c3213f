"""Clean interpreters in the cache: old ones go, those in use stay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coworld.engines import interpreter_cache
from coworld.engines.interpreter_cache import LEFTOVER_SECONDS, MAX_CACHED, OLDEST_SECONDS, prune

NOW = 2_000_000_000.0


def cached(parent: Path, number: int, used: float) -> Path:
    """A folder of the cache, last used so many seconds before `NOW`."""
    folder = parent / f"{number:016x}"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    os.utime(folder, (NOW - used, NOW - used))
    return folder


def test_interpreters_without_a_use_for_long_are_removed(tmp_path: Path) -> None:
    old, recent = cached(tmp_path, 1, OLDEST_SECONDS + 1), cached(tmp_path, 2, OLDEST_SECONDS - 1)
    (tmp_path / "notes").mkdir()
    assert prune(tmp_path, now=NOW) == [old]
    assert sorted(path.name for path in tmp_path.iterdir()) == [recent.name, "notes"]


def test_only_the_most_recently_used_are_kept(tmp_path: Path) -> None:
    folders = [cached(tmp_path, number, used=number) for number in range(MAX_CACHED + 3)]
    assert prune(tmp_path, now=NOW) == folders[MAX_CACHED:]
    assert sorted(tmp_path.iterdir()) == folders[:MAX_CACHED]


def test_unfinished_folders_of_dead_processes_are_removed(tmp_path: Path) -> None:
    for name, used in ((".new-dead", LEFTOVER_SECONDS + 1), (".new-busy", 5), (".old-dead-7", LEFTOVER_SECONDS + 1)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (NOW - used, NOW - used))
    prune(tmp_path, now=NOW)
    assert [path.name for path in tmp_path.iterdir()] == [".new-busy"]


def test_an_interpreter_that_another_process_uses_stays(tmp_path: Path) -> None:
    folder = cached(tmp_path, 1, OLDEST_SECONDS + 1)
    code = (
        "import sys; from pathlib import Path; from coworld.engines.interpreter_cache import hold\n"
        "print(hold(Path(sys.argv[1])), flush=True); sys.stdin.read()"
    )
    user = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with user:
        assert user.stdout is not None and user.stdin is not None
        assert user.stdout.readline() == "True\n"
        os.utime(folder, (NOW - OLDEST_SECONDS - 1, NOW - OLDEST_SECONDS - 1))
        assert prune(tmp_path, now=NOW) == []
        user.stdin.close()
    os.utime(folder, (NOW - OLDEST_SECONDS - 1, NOW - OLDEST_SECONDS - 1))
    assert prune(tmp_path, now=NOW) == [folder]


def test_a_use_is_remembered_and_a_missing_folder_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[int] = []
    monkeypatch.setattr(interpreter_cache, "_open_descriptors", held)
    folder = cached(tmp_path, 1, OLDEST_SECONDS)
    assert interpreter_cache.hold(folder)
    assert folder.stat().st_mtime != NOW - OLDEST_SECONDS
    assert not interpreter_cache.hold(tmp_path / "missing")
    for descriptor in held:
        os.close(descriptor)


def test_a_run_prunes_the_cache_and_keeps_its_own(tmp_path: Path) -> None:
    parent = tmp_path / "coworld" / "python"
    stale = cached(parent, 1, NOW - 1)  # used in 1970
    code = "from coworld.engines.interpreters import clean_interpreter as c; print(c().path)"
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        python = Path(done.stdout.strip())
        assert [path.name for path in parent.iterdir()] == [python.parent.parent.name]
    assert not stale.exists()
    subprocess.run([python, "-c", "import websockets"], check=True)
