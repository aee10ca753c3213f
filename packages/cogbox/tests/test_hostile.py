"""Hostile programs at every level, started by root and by an ordinary user: the verdict, no escape, nothing left.

`hostile/corpus.py` is the table, `hostile/programs/` the programs, `hostile/worker.py` runs them at one level. All
levels run at once, each in a process (and for users: with a uid) of its own. Without `HOSTILE_LEVELS=all` (`make soak`)
every sixth program runs in a container, which costs more time than all other levels together, and every fourth one is
started by an ordinary user.
"""

import fcntl
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cogbox import Level
from packages.cogbox.tests.hostile.corpus import CASES
from packages.cogbox.tests.hostile.world import processes_of
from tests.support import missing, require_tool

pytestmark = pytest.mark.slow

HOSTILE = Path(__file__).with_name("hostile")
LEVELS = (Level.CONTAINER, Level.BUBBLEWRAP, Level.NAMESPACES, Level.LANDLOCK)
SETTINGS = [(who, level) for who in ("root", "user") for level in LEVELS if (who, level) != ("user", Level.CONTAINER)]
EVERY = {} if os.environ.get("HOSTILE_LEVELS") == "all" else {Level.CONTAINER: 6, "user": 4}
CHOSEN = [
    (who, level, name)
    for who, level in SETTINGS
    for name, case in list(CASES.items())[:: EVERY.get(level, EVERY.get(who, 1))]
    if level not in case.left_out
]
FIRST_UID = 54_321
AT_ONCE = 7
SECONDS = 1200


@contextmanager
def reserved_uid() -> Iterator[int]:
    """Yield a user id that no other worker has, not even of another test run on this machine."""
    for uid in range(FIRST_UID, FIRST_UID + 100):
        with (Path(tempfile.gettempdir()) / f"hostile-uid-{uid}.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield uid
            return
    raise RuntimeError("all user ids for tests are in use")


def start_worker(who: str, level: Level, names: list[str]) -> dict[str, Any]:
    """Run a worker to its end: outcomes by name, or {"missing": why}."""
    if os.geteuid() != 0 or who != "user":
        return run_worker(who, level, names, os.geteuid())
    with reserved_uid() as uid:
        return run_worker(who, level, names, uid)


def run_worker(who: str, level: Level, names: list[str], uid: int) -> dict[str, Any]:
    command = [sys.executable, "-B", str(HOSTILE / "worker.py"), level.value, *names]
    if level is Level.CONTAINER:
        command += ["--threads", "4"]
    folder = Path(tempfile.mkdtemp(prefix=f"cogbox-{who}-"))
    folder.chmod(0o755)
    if uid != os.geteuid():
        os.chown(folder, uid, uid)
        enter = ["unshare", "--mount", "--propagation", "private", sys.executable, "-B", str(HOSTILE / "as_user.py")]
        command = [*enter, str(uid), str(folder), *command, "--alone"]
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder), "HOSTILE_SECRET": secrets.token_hex(16)}
    try:
        ran = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, timeout=SECONDS)
        told = [json.loads(line) for line in ran.stdout.splitlines()]
        if told and "missing" in told[0]:
            return told[0]
        assert ran.returncode == 0, f"the worker failed: {ran.stderr[-3000:]}"
        left = [str(path) for path in folder.glob("*/*")]
        left += [f"process {pid}" for pid in processes_of(uid)] if "--alone" in command else []
        told[-1]["problems"] += [f"left {thing}" for thing in left]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {outcome["name"]: outcome for outcome in told}


class Workers:
    """One worker per setting that was selected, all started when the first outcome is asked for."""

    def __init__(self, wanted: dict[tuple[str, Level], list[str]]) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._futures: dict[tuple[str, Level], Future[dict[str, Any]]] = {}
        for (who, level), names in wanted.items():
            if who == "user" or os.geteuid() == 0:
                self._futures[who, level] = self._pool.submit(start_worker, who, level, names)

    def outcome(self, who: str, level: Level, name: str) -> dict[str, Any]:
        if who == "root" and os.geteuid() != 0:
            missing("boxes of root's can be tried only by root")
        told = self._futures[who, level].result()
        if "missing" in told:
            missing(f"{level.value} as {who}: {told['missing']}")
        return dict(told[name])


@pytest.fixture(scope="session")
def workers(request: pytest.FixtureRequest) -> Workers:
    require_tool("unshare")
    wanted: dict[tuple[str, Level], list[str]] = {}
    for item in request.session.items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if item.path == Path(__file__) and "level" in parameters:
            names = wanted.setdefault((parameters["who"], parameters["level"]), [])
            names += [parameters["name"]] if parameters.get("name") else []
    return Workers({at: names for at, names in wanted.items() if names})


def test_there_are_at_least_sixty_hostile_programs() -> None:
    programs = {path.stem for path in (HOSTILE / "programs").iterdir() if path.is_file()}
    assert programs == {*CASES, "kit", "neighbour_victim"}
    assert len(CASES) >= 60


@pytest.mark.parametrize(
    ("who", "level", "name"), CHOSEN, ids=[f"{who}-{level.value}-{name}" for who, level, name in CHOSEN]
)
def test_a_hostile_program_gets_its_verdict_and_nothing_else(
    workers: Workers, who: str, level: Level, name: str
) -> None:
    outcome = workers.outcome(who, level, name)
    assert not outcome["problems"], f"{outcome['problems']}\n{json.dumps(outcome, indent=1)}"


@pytest.mark.parametrize(("who", "level"), SETTINGS, ids=[f"{who}-{level.value}" for who, level in SETTINGS])
def test_nothing_is_left_when_all_have_run(workers: Workers, who: str, level: Level) -> None:
    assert workers.outcome(who, level, "")["problems"] == []


def test_containers_of_an_ordinary_user_work_or_are_refused_with_a_reason() -> None:
    told = start_worker("user", Level.CONTAINER, ["fork_bomb", "reads_files"])
    if "missing" in told:
        assert any(word in told["missing"] for word in ("install", "podman", "docker", "subuid", "self-test")), told
    else:
        assert not told["fork_bomb"]["problems"] + told["reads_files"]["problems"]
