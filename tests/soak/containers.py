"""A Coworld and players of container images through a server, as their authors and a worker use it.

usage: containers.py

podman pushes an image of Paint Arena to the server's registry; `coworld upload-coworld` certifies the Coworld here and
sends the rest; a worker with empty image storage pulls the images, plays the smoke episode, certifies the Coworld, and
plays a requested episode of an image policy against a file policy. Layers that the registry has are not sent again.
Exit status 1 when anything is otherwise.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from cogbox.container_engines import run_engine  # noqa: E402
from coworld.templates import write_template  # noqa: E402
from observatory.accounts.service import mint_worker_token  # noqa: E402
from softmax.client.credentials import save_user_token  # noqa: E402
from tests.image_coworld import ArenaImages, build_images, empty_storage, running_worker, write_manifest  # noqa: E402
from tests.league import League, make_account, running_server  # noqa: E402
from tests.wheels.podman import podman  # noqa: E402

COWORLD = Path(sys.executable).with_name("coworld")


class Author:
    """The `coworld` command of a user with a home folder."""

    def __init__(self, league: League, home: Path) -> None:
        self._league, self._home = league, home
        self._env = {**os.environ, "HOME": str(home), "COGAMES_API_URL": league.url, "NO_COLOR": "1"}

    def __call__(self, *words: object) -> str:
        ran = subprocess.run(
            [str(COWORLD), *map(str, words)], cwd=self._home, env=self._env, capture_output=True, text=True
        )
        assert ran.returncode == 0, f"coworld {' '.join(map(str, words))}\n{ran.stdout}{ran.stderr}"
        return ran.stdout

    def ask(self, *words: object) -> Any:
        return json.loads(self(*words, "--json"))

    def sent_blobs(self) -> int:
        """Return how many blobs have come to the registry since the last call."""
        sent = sum(request.path.startswith("POST /v2/images/") for request in self._league.log)
        self._league.log.clear()
        return sent


def push_with_podman(league: League, token: str, image: str, folder: Path) -> None:
    """Push an image as a user of podman does: sign in, push, and complete the upload."""
    host, auth = league.url.removeprefix("http://"), folder / "auth.json"
    client_hash = f"sha256:{podman('image', 'inspect', '--format', '{{.Id}}', image).strip()}"
    with httpx.Client(base_url=league.url, headers={"X-Auth-Token": token}, timeout=120, trust_env=False) as http:
        body = {"name": image.partition(":")[0], "client_hash": client_hash}
        begun = http.post("/v2/container_images/upload", json=body).raise_for_status().json()
        plain = ("--tls-verify=false", "--authfile", auth)
        podman("login", *plain, "-u", "ada", "-p", token, host)
        podman("push", *plain, image, begun["pre_signed_info"]["image_uri"])
        done = http.post("/v2/container_images/upload/complete", json={"id": begun["image"]["id"]}).raise_for_status()
    assert done.json()["status"] == "ready", done.text


def main() -> None:
    logging.disable(logging.WARNING)  # podman tries TLS first, and the server in this process complains
    began, mark = time.monotonic(), secrets.token_hex(4)
    images = build_images("podman", mark)
    try:
        with tempfile.TemporaryDirectory(prefix="soak-containers-") as name:
            folder = Path(name)
            for part in ("home", "server", "worker"):
                (folder / part).mkdir()
            with running_server(folder / "server") as league, empty_storage(folder / "worker") as storage:
                play(league, images, folder, storage)
    finally:
        run_engine("podman", "rmi", images.game, images.policy)
    seconds = time.monotonic() - began
    print(f"passed  a Coworld and a policy of images: pushed, certified, pulled and played in {seconds:.0f} s")


def play(league: League, images: ArenaImages, folder: Path, storage: dict[str, str]) -> None:
    ada = make_account(league.world, "ada")
    home = folder / "home"
    ada_coworld = Author(league, home)
    with league.world.app.state.database.transaction() as session:
        worker_token = mint_worker_token(session, "worker", now=league.world.clock()).text
    os.environ["HOME"] = str(home)
    save_user_token(f"{league.url}/api", ada.token)

    push_with_podman(league, ada.token, images.game, folder)
    assert ada_coworld.sent_blobs() == 2, "a layer and a configuration"
    with running_worker(league.url, worker_token, folder / "worker", **storage) as log:
        try:
            check_commands(ada_coworld, images, home)
        except BaseException:
            print(log.read_text()[-4000:], file=sys.stderr)
            raise
        pulled = subprocess.run(["podman", "images"], env={**os.environ, **storage}, capture_output=True, text=True)
        assert league.url.removeprefix("http://") in pulled.stdout, pulled


def check_commands(coworld: Author, images: ArenaImages, home: Path) -> None:
    row = coworld.ask("upload-coworld", write_manifest(home, images), "--wait-certification")
    assert row["canonical"], row
    assert coworld.sent_blobs() == 0, "podman has pushed the image"

    version = coworld.ask("upload-policy", images.policy, "--name", "from-image")
    assert coworld.sent_blobs() == 2, "one more layer, another configuration"
    assert coworld.ask("upload-policy", images.policy, "--name", "again")["version"] == 1
    assert coworld.sent_blobs() == 0
    write_template("python", home / "player")
    coworld.ask("upload-policy", "--file", "player", "--name", "from-file")

    roster = [{"player": {"policy_ref": name}} for name in ("from-image", "from-file")]
    (home / "request.json").write_text(json.dumps({"coworld_id": row["id"], "roster": roster, "num_episodes": 1}))
    request = coworld.ask("xp-request", "create", "request.json")
    coworld("xp-request", "watch", request["id"], "--until", "evidence", "--timeout", "300")
    [episode] = coworld.ask("xp-request", "get", request["id"])["episodes"]
    assert len(json.loads(coworld("episode-results", episode["id"]))["scores"]) == 2
    assert "finished with scores" in coworld("episode-logs", episode["id"], "--agent", "0")
    assert coworld("episode-logs", episode["id"], "--agent", "1")
    saved = coworld("episode-logs", episode["id"], "--download-dir", "logs").split()
    assert (home / "logs" / "policy_artifact_0.zip").is_file(), saved
    coworld("replays", "--policy", version["id"], "--download-dir", "replays")
    assert (home / "replays" / f"{episode['id']}.replay").stat().st_size > 1000


if __name__ == "__main__":
    main()
