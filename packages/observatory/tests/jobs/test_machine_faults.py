"""Faults of machines under a season: no policy is blamed, the match is played again, the entrants are as they were.

Faults are injected where the operating system would report them, through the worker that really plays. The last test
gives a worker's process a disk that really is too small; `FULL_DISKS` names more sizes (`make soak`).
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mettagrid.config.mettagrid_config import MettaGridConfig
from observatory.errors import Unavailable
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.observatory.tests.jobs.test_worker import LOUD, token, upload
from packages.observatory.tests.world import World
from tests.support import missing, require_tool

__all__ = ["token"]

pytestmark = pytest.mark.any_database

SIZES = [int(text) for text in os.environ.get("FULL_DISKS", "200").split(",")]
"""of disks, in kilobytes"""


@dataclass
class Match:
    """A match of two uploaded policies, as the public API shows it."""

    id: uuid.UUID
    client: TestClient
    admin: Any
    job: str

    def read(self) -> dict[str, Any]:
        return dict(self.client.get(f"/observatory/api/matches/{self.id}").json())

    def entrants(self) -> tuple[Any, Any]:
        """What the season says of those who play in it."""
        policies = self.client.get("/tournament/seasons/open/policies").json()
        return policies, self.client.get("/tournament/seasons/open/leaderboard").json()

    def queued(self) -> dict[str, Any]:
        return dict(self.client.get(f"/jobs/{self.job}", headers=self.admin.headers).json())


@pytest.fixture
def match(
    server: Any, client: TestClient, world: World, ada: Any, bob: Any, admin: Any, monkeypatch: pytest.MonkeyPatch
) -> Match:
    env = MettaGridConfig.EmptyRoom(num_agents=4, width=6, height=6)
    env.game.max_steps = 10
    monkeypatch.setattr("packages.observatory.tests.world.ENV", env.model_dump(mode="json"))
    quiet = LOUD.replace("range(100)", "range(2)")
    versions = [uuid.UUID(upload(client, account, quiet)) for account in (ada, bob)]
    season = world.season()
    match_id = world.match(season, "competition", [(versions[0], 2), (versions[1], 2)])
    return Match(match_id, client, admin, str(world.job_of(match_id)))


def play(server: Any, token: str, name: str, *, forked: bool = False) -> None:
    """One job, by a worker of this process; `forked` lets the episode's process meet what is patched here."""
    jobs = HttpJobClient(server.url, token)
    try:
        worker = Worker(jobs, name)
        if forked:
            worker._context = multiprocessing.get_context("fork")
        worker.run(once=True)
    finally:
        jobs.close()


def full_disk_for(*names: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Fail like a full disk when one of these files is written: a part of it is there, and the rest is not."""

    def inject(patch: pytest.MonkeyPatch) -> None:
        write = Path.write_text

        def fill_up(self: Path, text: str, *arguments: Any, **options: Any) -> int:
            if self.name in names:
                write(self, text[: len(text) // 2])
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(self, text, *arguments, **options)

        patch.setattr(Path, "write_text", fill_up)

    return inject


def full_disk_for_logs(patch: pytest.MonkeyPatch) -> None:
    def fill_up(*arguments: Any) -> bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    patch.setattr("mettagrid.runner.boxed.process.truncated_log", fill_up)


def closed_state(patch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    patch.setattr("cogbox._folders.BoxFolder.__init__", refuse)


def killed_sweeper(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sys.modules["cogbox.sandbox"], "_sweep_once", lambda: os.kill(os.getpid(), signal.SIGKILL))


def full_disk_while_running(patch: pytest.MonkeyPatch) -> None:
    """The disk is full when the box has begun: its policy fails, and the machine is asked why."""
    patch.setattr("mettagrid.runner.episode.faults.LOW_BYTES", 1 << 60)
    patch.setattr("mettagrid.runner.episode.served.ServedHolder.prepare", failed_policy)


def failed_policy(*arguments: Any, **options: Any) -> None:
    from mettagrid.runner.episode.errors import PolicyFailure

    raise PolicyFailure("crashed", "OSError: [Errno 28] No space left on device")


FAULTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "no room while it runs": full_disk_while_running,
    "no room for the results": full_disk_for("results.json"),
    "no room for what was true of the run": full_disk_for("runtime_info.json"),
    "no room for anything at the end": full_disk_for("runtime_info.json", "error_info.json"),
    "no room for the logs": full_disk_for_logs,
    "a folder of boxes that is closed": closed_state,
    "a killed sweeper": killed_sweeper,
}


def test_faults_leave_the_match_and_its_entrants_as_they_were(
    server: Any, token: str, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.app.state.settings.max_job_attempts = 100
    before = match.entrants()
    for number, (fault, inject) in enumerate(FAULTS.items(), 1):
        with monkeypatch.context() as patch:
            inject(patch)
            play(server, token, f"unlucky {number}", forked=True)
        waiting = match.queued()
        assert (waiting["status"], waiting["error"], waiting["attempts"]) == ("pending", None, number), fault
        assert match.read()["status"] == "waiting"
        assert match.entrants() == before, fault
    play(server, token, "lucky")
    done = match.queued()
    assert (done["status"], done["error"], done["worker"]) == ("completed", None, "lucky")
    assert match.read()["status"] == "completed"


def test_a_store_that_is_full_when_results_arrive_costs_a_lease_and_blames_no_policy(
    server: Any, token: str, match: Match, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = match.entrants()

    def full(*arguments: Any, **options: Any) -> None:
        raise Unavailable("The disk of the store is full; nothing was stored")

    with monkeypatch.context() as patch:
        patch.setattr(type(server.app.state.store), "receive", full)
        patch.setattr(Worker, "_sleep", lambda self, seconds: None)
        play(server, token, "unlucky")
    assert match.queued()["error"] is None and match.entrants() == before
    clock.advance(61)
    play(server, token, "lucky")
    done = match.queued()
    assert (done["status"], done["error"], done["worker"]) == ("completed", None, "lucky")


def test_a_match_that_no_machine_could_play_changes_no_entrant(
    server: Any, token: str, match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = match.entrants()
    full_disk_for("results.json")(monkeypatch)
    for number in range(3):
        play(server, token, f"unlucky {number}", forked=True)
    done = match.queued()
    assert (done["status"], done["error_type"]) == ("failed", "internal_error")
    document = match.read()
    assert document["status"] == "failed" and "no policy is at fault" in str(document)
    policies, board = match.entrants()
    assert board == before[1]
    assert [(row["policy"], row["pools"][0]["active"]) for row in policies] == [
        (row["policy"], True) for row in before[0]
    ]


WORKER = """
import sys
from observatory.worker import machine, program
machine.MIN_FREE_BYTES = 0
program.run_worker(sys.argv[1], sys.argv[2], once=True)
"""


def disk_command(size: int, folder: Path) -> list[str]:
    """The words that run a command for which a folder is a disk of its own, of so many kilobytes."""
    require_tool("unshare")
    own = [] if os.geteuid() == 0 else ["--map-root-user"]
    script = f'mount -t tmpfs -o size={size}k,mode=755 tmpfs "$0" && exec "$@"'
    words = ["unshare", *own, "--mount", "--propagation", "private", "sh", "-c", script, str(folder)]
    tried = subprocess.run([*words, "true"], capture_output=True, text=True)
    if tried.returncode:
        missing(f"no file system can be mounted here: {tried.stderr.strip()}")
    return words


@pytest.mark.slow
def test_a_disk_that_is_too_small_blames_no_policy(server: Any, token: str, match: Match, tmp_path: Path) -> None:
    server.app.state.settings.max_job_attempts = 100
    before = match.entrants()
    disk = tmp_path / "disk"
    disk.mkdir()
    own = {"TMPDIR": str(disk), "COGBOX_STATE": str(disk / "boxes"), "HOME": str(disk), "XDG_RUNTIME_DIR": str(disk)}
    for number, size in enumerate(SIZES):
        command = [*disk_command(size, disk), sys.executable, "-c", WORKER, server.url, token]
        ran = subprocess.run(command, env=os.environ | own, capture_output=True, text=True, timeout=120)
        queued = match.queued()
        context = f"{size} kB: {queued['status']} {queued['error']}\n{ran.stdout[-1000:]}{ran.stderr[-2000:]}"
        if queued["status"] == "completed":
            assert number > 0, context  # the first disk is too small
            break
        assert (queued["status"], queued["error"]) == ("pending", None), context
        assert match.entrants() == before
        assert "Traceback" not in ran.stdout + ran.stderr, context
    else:
        play(server, token, "lucky")
    assert match.queued()["status"] == "completed" and match.read()["status"] == "completed"
