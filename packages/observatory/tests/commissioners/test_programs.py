"""Real workers run a real commissioner in a box; only the episodes are played by the test."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from observatory.database.tables.coworlds import ContentKind
from observatory.job_states import COMMISSIONER
from observatory.store.layout import content_key
from observatory.worker.client import HttpJobClient
from observatory.worker.lane import SideLane
from observatory.worker.loop import Worker
from packages.observatory.tests.commissioners import script
from packages.observatory.tests.commissioners.conversing import Commissioned, make_commissioned
from packages.observatory.tests.requests.conftest import archive
from packages.observatory.tests.world import World

pytestmark = pytest.mark.any_database

PROGRAM = "commissioner.py"
PATIENCE_SECONDS = 120


def program(text: str) -> tuple[str, bytes]:
    """Return a program as an upload of its author: (its digest, the archive)."""
    mapping = {"images": {"mine": {"argv": ["python", PROGRAM], "packages": ["coworld"]}}}
    data = archive({PROGRAM: text, "coworld_local.json": json.dumps(mapping)})
    return hashlib.sha256(data).hexdigest(), data


@pytest.fixture
def league(world: World, client: TestClient, ada: Any, token: str) -> Commissioned:
    """A league whose commissioner is the script, uploaded as a program."""
    sha256, data = program(Path(script.__file__).read_text())
    world.app.state.store.put(content_key(ContentKind.PROGRAM, sha256), data)
    return make_commissioned(world, client, ada, token, image=f"sha256:{sha256}")


@contextmanager
def working(url: str, token: str) -> Iterator[None]:
    """Run commissioners, as a worker does beside its episodes."""
    stopped = False
    client = HttpJobClient(url, token)
    worker = Worker(client, "worker", stopping=lambda: stopped, minimum="namespaces")
    try:
        with SideLane(client, "worker", worker.work, COMMISSIONER, stopping=lambda: stopped):
            yield
            stopped = True
    finally:
        client.close()


def until(condition: Callable[[], bool], league: Commissioned) -> None:
    """Check the league for due conversations until a condition holds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, league.get(f"/v2/leagues/{league.league}/commissioner")
        league.loop.check_all()
        time.sleep(0.05)


def kill_program() -> None:
    """SIGKILL for the commissioner in its box, which this process has started."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and _is_program(folder) and _descends(int(folder.name)):
            os.kill(int(folder.name), signal.SIGKILL)
            return
    raise AssertionError("the commissioner does not run")


def _is_program(folder: Path) -> bool:
    try:
        words = (folder / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[1:2] == [PROGRAM.encode()]


def _descends(pid: int) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return False


def test_a_program_runs_a_league_is_killed_and_aborted_and_decides_the_same(league: Commissioned, server: Any) -> None:
    def messages(round_: int) -> list[str]:
        rows = league.rounds()
        if len(rows) <= round_:
            return []
        found = league.get(f"/v2/rounds/{rows[round_]['id']}/commissioner-messages")
        return [row["message_type"] for row in found]

    def statuses() -> list[str]:
        return [row["status"] for row in league.rounds()]

    with working(server.url, league.token):
        until(lambda: "episode_cancel" in messages(0), league)
        league.post(f"/v2/rounds/{league.rounds()[0]['id']}/cancel", {"reason": "once more"})
        until(lambda: "episode_cancel" in messages(1), league)
        kill_program()
        assert league.play() == ["completed", "completed", "failed"]
        until(lambda: "completed" in statuses(), league)
        assert messages(1).count("round_start") == 2
        until(lambda: "episode_cancel" in messages(2), league)
        assert league.play() == ["completed", "completed", "failed"]
        until(lambda: statuses() == ["cancelled", "completed", "completed"], league)
    outcome = league.outcome()
    ranked = [(1, "ben", 301.5), (2, "ann", 298.5), (3, "zed", 0.0)]
    assert [row["results"] for row in outcome["rounds"]] == [[], ranked, ranked]
    assert outcome["state"] == {"commissioner": {"seen": [600.0, 600.0]}}
    assert outcome["members"]["zed"] == ("Premier", "disqualified", False)
    assert outcome["members"]["eve"] == ("Waiting", "qualifying", False)
