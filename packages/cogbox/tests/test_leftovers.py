"""Boxes leave nothing: no process, descriptor, thread, control group, mount, user or file, however many there were."""

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cogbox import Level, Limits, Result, Sandbox, Verdict
from packages.cogbox.tests.conftest import available

LITTER = "mkdir -p a/b; echo x > a/b/c; echo y > /tmp/d; (setsid sleep 600 &) ; mkfifo p; echo done"


def held() -> dict[str, object]:
    """What this process has."""
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
    locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return {
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "children": children,
        "users": [words[5] for words in locks if words[1] == "FLOCK" and words[4] == str(os.getpid())],
    }


@pytest.mark.slow
def test_five_hundred_boxes_in_a_row_leave_nothing(state: Path) -> None:
    sandbox = available(Level.NAMESPACES)
    sandbox.run(["true"])  # what is kept for the whole life of the process is there now
    before = held()
    for number in range(500):
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
