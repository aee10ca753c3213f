"""The published `coworld` commands that need docker, against our server: publish a Coworld and a policy of images.

    python tests/compat/leagues_images.py PYTHON... [--record]

Each version certifies a Coworld with docker, pushes it, uploads an image policy, submits it, requests an episode, which
one of our workers plays from the registry, and reads its results, logs and replay; then it changes the commissioner.
The docker daemon, the server and the worker run in a network namespace, so that they leave nothing on the machine. With
--record, the calls are written to `published_image_calls.json`, which `make test` replays.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from observatory.accounts.service import mint_worker_token  # noqa: E402
from tests.compat.coworld_releases import installed  # noqa: E402
from tests.compat.leagues_client import NEW, OLD, RECORD, Client, Step, check  # noqa: E402
from tests.image_coworld import (  # noqa: E402
    build_images,
    empty_storage,
    running_docker,
    running_worker,
    write_manifest,
)
from tests.league import League, make_account, running_server  # noqa: E402
from tests.support import IN_CI  # noqa: E402

CALLS = Path(__file__).with_name("published_image_calls.json")
TOOLS = ("docker", "dockerd", "podman", "ip", "unshare")
INSIDE = "COMPAT_OWN_NETWORK"
WAIT_SECONDS = 300.0
UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
PARTS = [
    (f"/images/{UUID}/", "/images/{image}/"),
    (f"/uploads/{UUID}", "/uploads/{upload}"),
    ("sha256:[0-9a-f]{64}", "{digest}"),
    (f"([a-z]+)_{UUID}", r"{\1}"),
    (UUID, "{id}"),
    ("manifests/[a-z0-9]{8,}$", "manifests/{tag}"),
]
"""what differs from run to run in the address of a call, and the name for it"""

PUBLISH = [
    Step("softmax set-token {token}"),
    Step("coworld upload-coworld coworld_manifest.json"),
]
COMPETE = [
    Step("coworld status {coworld} --json"),
    Step("coworld images --json"),
    Step("coworld league create image-arena main Main --json", only=NEW),
    Step("coworld league create image-arena --json", only=OLD),
    Step("coworld upload-policy {policy_image} --name from-image"),
    Step("coworld upload-policy {policy_image} --name from-image --tag team=red"),
]
REQUEST = [
    Step("coworld submit from-image --league {league} --no-open-browser"),
    Step("coworld xp-request create request.json --json", saves="request"),
]
READ = [
    Step("coworld xp-request get {request} --json"),
    Step("coworld results {league} --json"),
    Step("coworld episodes {episode} --json"),
    Step("coworld episode-results {episode}"),
    Step("coworld episode-stats {episode} --json"),
    Step("coworld episode-logs {episode} --list"),
    Step("coworld episode-logs {episode} --agent 0"),
    Step("coworld episode-logs {episode} --mine -d logs"),
    Step("coworld replays --policy from-image --json"),
    Step("coworld replays --policy from-image --download-dir replays"),
    Step("coworld replay-open {episode} --hosted --no-open-browser"),
    Step("coworld download {coworld}"),
    Step("coworld patch-commissioner image-arena {policy_image}"),
]


class Stopped(Exception):
    """The other commands of a version cannot run; the message says why."""


def main() -> int:
    if missing := [tool for tool in TOOLS if not shutil.which(tool)]:
        print(f"compat: no images of published clients: install {', '.join(missing)}")
        return int(IN_CI)
    if os.geteuid() != 0:
        print("compat: no images of published clients: the docker daemon needs root")
        return int(IN_CI)
    if INSIDE not in os.environ:
        command = 'ip link set lo up && exec "$@"'
        words = ["unshare", "--net", "sh", "-c", command, "sh", sys.executable, *sys.argv]
        return subprocess.run(words, env={**os.environ, INSIDE: "1"}).returncode
    logging.disable(logging.WARNING)  # of the server, which runs in this process
    failed = False
    notes: list[dict[str, object]] = []
    pythons = [Path(word) for word in sys.argv[1:] if word != RECORD]
    with tempfile.TemporaryDirectory(prefix="compat-docker-") as name, running_docker(Path(name)) as address:
        os.environ |= {"DOCKER_HOST": address, "PATH": f"{_write_docker(Path(name))}:{os.environ['PATH']}"}
        for python in pythons:
            version, began = installed(python)[0], time.monotonic()
            problems = run_version(python, version, notes)
            wrong = {line: problem for line, problem in problems.items() if problem}
            for line, problem in wrong.items():
                print(f"{version}: {line}: {problem}", file=sys.stderr)
            seconds = time.monotonic() - began
            counts = f"{len(problems)} commands, {len(wrong)} different"
            print(f"published coworld {version} with images: {counts}, {seconds:.0f} s", flush=True)
            failed |= bool(wrong)
    if RECORD in sys.argv and not failed:
        CALLS.write_text("[\n" + ",\n".join(map(json.dumps, notes)) + "\n]\n")
    return int(failed)


def _write_docker(folder: Path) -> Path:
    """Write a `docker` command that saves images as docker 25 and later do; return its folder."""
    docker, script = shutil.which("docker"), Path(__file__).with_name("oci_archive.py")
    path = folder / "bin" / "docker"
    path.parent.mkdir()
    save = f'exec {sys.executable} {script} {docker} "$3"'
    path.write_text(f'#!/bin/sh\nif [ "$1 $2" = "image save" ]; then {save}; fi\nexec {docker} "$@"\n')
    path.chmod(0o755)
    return path.parent


def run_version(python: Path, version: str, notes: list[dict[str, object]]) -> dict[str, str | None]:
    """Run the steps of a version; return the problem of each, and add its calls to the notes."""
    problems: dict[str, str | None] = {}
    images = build_images("docker", f"v{version}", with_roles=True)
    with tempfile.TemporaryDirectory(prefix="compat-images-") as name, running_server(Path(name) / "server") as league:
        home, worker = Path(name) / "home", Path(name) / "worker"
        home.mkdir()
        worker.mkdir()
        league.names |= {"token": make_account(league.world, "ada").token, "policy_image": images.policy}
        with league.world.app.state.database.transaction() as session:
            token = mint_worker_token(session, "worker", now=league.world.clock()).text
        manifest = write_manifest(home, images, with_roles=True)
        if version == OLD:  # which knows no tags
            document = json.loads(manifest.read_text())
            del document["tags"]
            manifest.write_text(json.dumps(document))
        client = Client(python, league, home)

        def run(steps: list[Step]) -> None:
            for step in steps:
                if step.only in ("", version):
                    league.log.clear()
                    problems[step.line] = check(client, league, step)
                    notes.append(noted(league, version, step))
                    if problems[step.line]:
                        raise Stopped("a later command needs this one")

        with empty_storage(worker) as storage, running_worker(league.url, token, worker, **storage) as log:
            try:
                run(PUBLISH)
                _find_coworld(league)
                run(COMPETE)
                _find_league(league, home)
                run(REQUEST)
                _find_episode(league)
                run(READ)
            except Stopped as error:
                problems[str(error)] = log.read_text()[-2000:] or "the worker has no log"
    _remove_workspaces()
    return problems


def _find_coworld(league: League) -> None:
    """Wait until the server has certified the Coworld."""
    with league.http(league.names["token"]) as http:
        row = _wait(
            "the Coworld is canonical", lambda: [row for row in http.get("/v2/coworlds").json() if row["canonical"]]
        )
    league.names["coworld"] = row[0]["id"]


def _find_league(league: League, home: Path) -> None:
    with league.http(league.names["token"]) as http:
        league.names["league"] = http.get("/v2/leagues").json()[0]["id"]
    roster = [{"player": {"policy_ref": "from-image"}}] * 2
    body = {"coworld_id": league.names["coworld"], "roster": roster, "num_episodes": 1}
    (home / "request.json").write_text(json.dumps(body))


def _find_episode(league: League) -> None:
    """Wait until the worker has played the requested episode."""
    with league.http(league.names["token"]) as http:
        address = f"/v2/experience-requests/{league.names['request']}"
        row = _wait("the episode has ended", lambda: _ended(http.get(address).json()))
    league.names["episode"] = row["episodes"][0]["id"]


def _ended(row: dict[str, Any]) -> dict[str, Any] | None:
    return row if row["status"] in ("completed", "failed") else None


def _wait(what: str, ask: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + WAIT_SECONDS
    while not (answer := ask()):
        if time.monotonic() > deadline:
            raise Stopped(f"waiting until {what}")
        time.sleep(1)
    return answer


def noted(league: League, version: str, step: Step) -> dict[str, object]:
    """Return the calls of a command without what differs from run to run; a repeated call is listed once."""
    calls: list[str] = []
    for request in list(league.log):
        path = unquote(request.path).removeprefix("/")
        for pattern, name in PARTS:
            path = re.sub(pattern, name, path)
        # The worker and docker pull images at the same time.
        is_other = path.split()[1].startswith(("/work/", "/store/")) or path.startswith("GET /v2/")
        if path not in calls[-1:] and not is_other:
            calls.append(path)
    return {"version": version, "command": step.line, "calls": calls}


def _remove_workspaces() -> None:
    """Remove the folders that published clients make in the folder with `packages/coworld`."""
    for folder in (ROOT / "tmp").glob("coworld-*"):
        shutil.rmtree(folder)
    if (ROOT / "tmp").is_dir() and not any((ROOT / "tmp").iterdir()):
        (ROOT / "tmp").rmdir()


if __name__ == "__main__":
    sys.exit(main())
