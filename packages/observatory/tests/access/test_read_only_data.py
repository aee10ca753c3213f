"""A data folder that cannot be written to: under a server that runs, and when one starts."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from packages.observatory.tests.world import bundle
from tests.support import missing, require_tool

Serve = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def serve(data: Path) -> Iterator[Serve]:
    """Start `observatory serve` on the folder, after the words of another command."""
    started: list[subprocess.Popen[str]] = []

    def start(*before: str) -> subprocess.Popen[str]:
        command = [*before, sys.executable, "-m", "observatory", "serve", "--port", "0", "--workers", "0"]
        own = {"OBSERVATORY_DATA_DIR": str(data), "OBSERVATORY_SEED_SEASONS": "false"}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started.append(subprocess.Popen(command, env=os.environ | own, text=True, cwd=data.parent, **streams))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def read_only(folder: Path) -> list[str]:
    """The words that run a command for which a folder is on a read-only mount; root may not write there either."""
    require_tool("unshare")
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    words = ["unshare", "--map-root-user", "--mount", "--propagation", "private", "sh", "-c", script, str(folder)]
    tried = subprocess.run([*words, "touch", str(folder / "x")], capture_output=True, text=True)
    if "Read-only file system" not in tried.stderr:
        missing(f"no read-only mount can be made here: {tried.stderr.strip()}")
    return words


def test_a_server_that_cannot_write_serves_reads_and_refuses_changes(serve: Serve, data: Path) -> None:
    process = serve()
    assert process.stdout is not None
    output = "".join(process.stdout.readline() for _ in range(4))
    url, token = re.search(r"http://[^ ]+", output), re.search(r"token: (\S+)", output)
    assert url is not None and token is not None, output
    headers = {"X-Auth-Token": token[1], "X-Use-Elevated-Privileges": "true"}
    with httpx.Client(base_url=url[0], headers=headers, trust_env=False, timeout=30) as http:
        place = http.post("/stats/policies/submit/presigned-url").json()
        upload = urlsplit(place["upload_url"])._replace(scheme="", netloc="").geturl()
        # From here on the system lets the server write to no file.
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        for path in ("/healthz", "/whoami", "/players", "/tournament/seasons", "/admin/users", "/observatory"):
            assert http.get(path).status_code == 200, path
        for call in (
            lambda: http.post("/players", json={"name": "new"}),
            lambda: http.post("/admin/tokens", json={"name": "worker"}),
            lambda: http.post("/stats/policies/submit/presigned-url"),
            lambda: http.put(upload, content=bundle(), headers={"Content-Type": "application/zip"}),
            lambda: http.get("/readyz"),
        ):
            refused = call()
            assert refused.status_code == 503, refused.text
            assert "Traceback" not in refused.text and str(data) not in refused.text
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert [player["name"] for player in http.get("/players").json()] == ["admin"]
        assert http.post("/players", json={"name": "new"}).status_code == 200
        assert http.put(upload, content=bundle(), headers={"Content-Type": "application/zip"}).status_code == 200
        assert http.get("/readyz").status_code == 200
    process.terminate()
    _, log = process.communicate(timeout=60)
    assert "Traceback" not in log

    # On a read-only mount it does not start, says so in a sentence, and leaves everything as it is.
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    output, errors = serve(*read_only(data)).communicate(timeout=60)
    sentence = f"Error: The data folder {data} cannot be written to: Read-only file system; "
    assert output == "" and errors.startswith(sentence) and errors.count("\n") == 1
    assert {path: path.read_bytes() for path in data.rglob("*") if path.is_file()} == before
