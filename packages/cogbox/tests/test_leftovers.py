"""Boxes leave nothing: no process, descriptor, thread, control group, mount, user or file, however many there were.

`BOXES` is the number of boxes in a row (100); `make soak` asks for 500.
"""

import asyncio
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cogbox import Level, Limits, Result, Sandbox, Verdict, _folders
from packages.cogbox.tests.conftest import available

BOXES = int(os.environ.get("BOXES", "100"))
LITTER = "mkdir -p a/b; echo x > a/b/c; echo y > /tmp/d; (setsid sleep 600 &) ; mkfifo p; echo done"


def held() -> dict[str, object]:
    """Return the resources of this process."""
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
    locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "children": children,
        "users": [words[5] for words in locks if words[1] == "FLOCK" and words[4] == str(os.getpid())],
    }


@pytest.mark.slow
def test_many_boxes_in_a_row_leave_nothing(state: Path) -> None:
    sandbox = available(Level.NAMESPACES)
    sandbox.run(["true"])  # what is kept for the whole life of the process is there now
    before = held()
    for number in range(BOXES):
        result = sandbox.run(["sh", "-c", LITTER], python=False)
        assert (result.verdict, result.stdout) == (Verdict.OK, b"done\n"), (number, result)
        assert list(state.glob("*")) == []
    assert held() == before


@pytest.mark.slow
@pytest.mark.parametrize("level", [Level.BUBBLEWRAP, Level.NAMESPACES, Level.LANDLOCK], ids=lambda level: level.value)
def test_twenty_boxes_at_once_leave_nothing(level: Level, state: Path) -> None:
    sandbox = Sandbox(level) if level is Level.LANDLOCK else available(level)
    sandbox.run(["true"], python=False)
    before = held()

    async def together() -> list[Result]:
        boxes = (sandbox.run_async(["sh", "-c", f"sleep 0.3; {LITTER}"], python=False) for _ in range(20))
        return await asyncio.gather(*boxes)

    results = asyncio.run(together())
    assert [result.verdict for result in results] == [Verdict.OK] * 20
    with ThreadPoolExecutor(20) as pool:
        more = list(pool.map(lambda _: sandbox.run(["sh", "-c", LITTER], python=False), range(20)))
    assert [result.stdout for result in more] == [b"done\n"] * 20
    assert held() == before


def test_boxes_that_go_wrong_leave_nothing_either(state: Path) -> None:
    sandbox = available(Level.NAMESPACES)
    sandbox.run(["true"])
    before = held()
    for command, limits in (
        (["no-such-program"], Limits()),
        (["sleep", "600"], Limits(wall_seconds=0.1)),
        (["sh", "-c", "kill -9 $$"], Limits()),
        (["sh", "-c", "yes"], Limits(output_bytes=1000)),
    ):
        assert not sandbox.run(command, limits=limits, python=False).ok
    with sandbox.start(["sleep", "600"], channels=3, python=False):
        pass
    assert held() == before


def gone(state: Path, name: str) -> Path:
    """Return the folder of a box whose caller is gone."""
    state.mkdir(exist_ok=True)
    folder = state / f"1-0-{_folders.pid_namespace()}-{name}"
    (folder / "work" / "deep").mkdir(parents=True)
    (folder / "work" / "file").write_text("left")
    return folder


def test_a_folder_that_another_sweeper_removes_meanwhile_hinders_nothing(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = gone(state, "a"), gone(state, "b")
    remove = _folders.remove_tree

    def after_another(path: Path) -> None:
        remove(path)
        raise FileNotFoundError(2, "No such file or directory", str(path))

    monkeypatch.setattr(_folders, "remove_tree", after_another)
    _folders.sweep()
    assert not first.exists() and not second.exists()


def test_twenty_sweepers_at_once_remove_everything_without_an_error(state: Path) -> None:
    for number in range(40):
        gone(state, f"box{number}")
    with ThreadPoolExecutor(20) as pool:
        for swept in [pool.submit(_folders.sweep) for _ in range(20)]:
            swept.result()
    _folders.sweep()
    assert list(state.iterdir()) == []


def test_a_folder_that_cannot_be_removed_hinders_no_new_box(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = gone(state, "a")

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(_folders, "remove_tree", refuse)
        _folders.sweep()
    assert folder.exists()
    assert available(Level.NAMESPACES).run(["true"], python=False).ok
    _folders.sweep()


def test_a_box_without_its_guard_is_a_fault_of_the_machine(state: Path) -> None:
    with available(Level.NAMESPACES).start(["sleep", "600"], python=False) as box:
        assert box.wait_started()
        os.kill(box._guard.pid, signal.SIGKILL)
        result = box.wait(30)
    assert (result.verdict, result.detail) == (Verdict.INTERNAL_ERROR, "lost its guard, which kept its limits")
