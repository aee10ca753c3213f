"""`observatory` as an operator runs it: real processes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from observatory.accounts.startup import startup_problems
from observatory.settings import Settings
from tests.warm import WarmProgram


@pytest.fixture
def command(tmp_path: Path, observatory_program: WarmProgram) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        own = {"OBSERVATORY_DATA_DIR": str(tmp_path / "data"), "OBSERVATORY_SEED_SEASONS": "false"}
        return observatory_program.run(*words, env=os.environ | own | variables)

    return run


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str, dict[str, str]]]:
    """A server on its first start: its process, its address, the administrator's headers."""
    environment = os.environ | {"OBSERVATORY_DATA_DIR": str(tmp_path / "data"), "OBSERVATORY_SEED_SEASONS": "false"}
    line = [sys.executable, "-m", "observatory", "serve", "--port", "0", "--workers", "1"]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    output = "".join(process.stdout.readline() for _ in range(4))
    url, token = re.search(r"http://[^ ]+", output), re.search(r"token: (\S+)", output)
    assert url is not None and token is not None, output + (tmp_path / "log").read_text()
    yield process, url[0], {"X-Auth-Token": token[1], "X-Use-Elevated-Privileges": "true"}
    process.kill()
    process.wait()
    process.stdout.close()


def wait_for(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 60
    while not (result := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return result


def children_of(pid: int) -> list[int]:
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for children in lists for child in children.read_text().split()]


def test_a_server_keeps_its_workers_alive_and_stops_with_them(running: Any, command: Any, tmp_path: Path) -> None:
    process, url, headers = running
    assert httpx.get(f"{url}/whoami", headers=headers).json()["is_softmax_admin"] is True

    def workers() -> int:
        return int(httpx.get(f"{url}/readyz").json()["workers"])

    wait_for(workers)
    [worker] = wait_for(lambda: children_of(process.pid))
    os.kill(worker, signal.SIGKILL)
    [other] = wait_for(lambda: [child for child in children_of(process.pid) if child != worker])
    wait_for(lambda: os.getpriority(os.PRIO_PROCESS, other) == 19)

    # Commands reach the server that runs, with no token at hand; a second server does not start.
    assert f"{url}/join?invitation=" in command("admin", "user", "create", "ada@example.com").stdout
    users = json.loads(command("admin", "user", "list", "--json").stdout)
    assert [user["email"] for user in users] == ["admin@localhost", "ada@example.com"]
    token = command("admin", "token", "create", "laptop", "--user", "ada@example.com").stdout.strip()
    assert httpx.get(f"{url}/whoami", headers={"X-Auth-Token": token}).json()["user_email"] == "ada@example.com"
    refused = command("admin", "user", "disable", "admin@localhost")
    assert (refused.returncode, refused.stderr) == (
        1,
        "Error: This is the only administrator; make another one first\n",
    )
    second = command("serve", "--port", "0")
    assert second.returncode == 1 and "uses" in second.stderr and "Traceback" not in second.stderr
    seeding = command("seed")
    assert seeding.returncode == 1 and "uses" in seeding.stderr and "Traceback" not in seeding.stderr
    assert command("backup", str(tmp_path / "backup.tar")).returncode == 0
    nowhere = command("backup", "/does/not/exist/backup.tar")
    assert (nowhere.returncode, nowhere.stderr) == (
        1,
        "Error: /does/not/exist/backup.tar cannot be written: No such file or directory\n",
    )
    assert (tmp_path / "data" / "observatory.db").stat().st_mode & 0o077 == 0

    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    wait_for(lambda: not Path(f"/proc/{other}").exists())
    log = (tmp_path / "log").read_text()
    assert all(json.loads(line)["level"] in ("info", "warning") for line in log.splitlines())
    assert headers["X-Auth-Token"] not in log and token not in log
    # The same commands without a server.
    assert "ada@example.com" in command("admin", "user", "list").stdout


def test_a_reachable_server_does_not_start_with_guessable_secrets(command: Any, tmp_path: Path) -> None:
    refused = command("serve", "--host", "0.0.0.0", OBSERVATORY_SECRET_KEY="changeme" * 8)
    assert refused.returncode == 1 and refused.stdout == ""
    assert "OBSERVATORY_PUBLIC_URL" in refused.stderr and "OBSERVATORY_SECRET_KEY can be guessed" in refused.stderr
    good = {"data_dir": tmp_path, "public_url": "https://league.example.com", "secret_key": "k8" + "qVx3mZ7w" * 5}
    assert startup_problems(Settings(host="0.0.0.0", **good)) == []
    assert startup_problems(Settings(host="127.0.0.1", secret_key="x" * 40)) == []
    proxied = {"host": "127.0.0.1", "public_url": "https://league.example.com", "secret_key": "changeme" * 5}
    assert "can be guessed" in startup_problems(Settings(**proxied))[0]
    (tmp_path / "secret.key").write_text("open to all")
    assert "can be read by others" in startup_problems(Settings(host="0.0.0.0", **good))[0]


def test_the_doctor_names_missing_parts(command: Any) -> None:
    before = command("doctor")
    assert before.returncode == 1 and "observatory serve" in before.stdout and "Traceback" not in before.stderr
    command("admin", "user", "list")  # makes the data folder
    after = command("doctor")
    assert after.returncode == 0, after.stdout
    assert "The database (sqlite) answers" in after.stdout and "No server runs" in after.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["restore", "/does/not/exist.tar"],
        ["backup", "/does/not/exist/backup.tar"],
        ["worker", "--server", "http://127.0.0.1:9", "--token-file", "/does/not/exist"],
        ["admin", "token", "revoke", "nonsense"],
        ["admin", "--server", "http://127.0.0.1:9", "user", "list"],
    ],
)
def test_mistakes_are_reported_in_a_sentence(command: Any, words: list[str]) -> None:
    answer = command(*words)
    assert answer.returncode == 1 and answer.stdout == ""
    assert answer.stderr.startswith("Error: ") and "Traceback" not in answer.stderr


@pytest.mark.parametrize("words", [["serve", "--port", "0"], ["seed"], ["backup", "b.tar"], ["admin", "user", "list"]])
def test_an_unusable_database_is_reported_in_a_sentence(command: Any, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "observatory.db").write_text("no database at all")
    damaged = command(*words)
    assert damaged.returncode == 1
    assert damaged.stderr == "Error: The database file is damaged; restore a backup with `observatory restore`\n"


def test_an_unreachable_database_is_reported_without_its_password(command: Any) -> None:
    for url in ("postgresql://me:hunter2@127.0.0.1:9/x", "mysql://me:hunter2@127.0.0.1:9/x"):
        refused = command("serve", "--port", "0", OBSERVATORY_DATABASE_URL=url)
        assert refused.returncode == 1 and refused.stderr.startswith("Error: ")
        assert "hunter2" not in refused.stderr and "Traceback" not in refused.stderr


def test_the_guide_for_operators_names_settings_that_exist() -> None:
    guide = (Path(__file__).parents[4] / "docs/guides/operators.md").read_text()
    named = {name.lower() for name in re.findall(r"OBSERVATORY_([A-Z0-9_]+)", guide)}
    others = {"server", "trace_file"}  # of `observatory worker`; of the server and of workers
    assert len(named) > 20 and named <= {*Settings.model_fields, *others}
