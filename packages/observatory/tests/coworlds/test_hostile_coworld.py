"""A stranger uploads a Coworld whose game, player and reporter attack: each is contained and gets its verdict, and the
game, secrets, uploads and episodes of another user stay as they are.

The programs are in `hostile/`. Everything goes over HTTP to a server that listens, and runs in a real worker.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import inspect, select

from coworld.league import playing
from observatory.database import Base
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.coworld.tests.roles.components import RETURN_ERROR, component, emitting
from packages.coworld.tests.runner.test_hostile_player import canaries, knocked
from packages.coworld.tests.worlds import BAD, left_running, manifest_document
from packages.observatory.tests.coworlds.games import game, publish, put_coworld
from packages.observatory.tests.coworlds.test_content import announced, send_program, zipped
from packages.observatory.tests.coworlds.test_coworld_secrets import put as put_secret
from packages.observatory.tests.coworlds.test_reporters import register
from packages.observatory.tests.coworlds.test_reporters import upload as upload_reporter
from packages.observatory.tests.images.pushing import HELLO, digest_of, root_of
from packages.observatory.tests.images.pushing import upload as push_image

pytestmark = [pytest.mark.any_database, pytest.mark.usefixtures("sandboxed"), pytest.mark.slow]

HOSTILE = Path(__file__).with_name("hostile")
SPY = Path(__file__).parents[4] / "packages/coworld/tests/hostile/player.py"
GAME_SECRET, PLAYER_SECRET, MACHINE_SECRET = "secret-of-adas-game", "secret-of-adas-player", "secret-of-the-machine"
MARK = "hostile-coworld-test"
ZIP, OCTETS = {"Content-Type": "application/zip"}, {"Content-Type": "application/octet-stream"}
VERDICTS = {
    "spies": ("completed", None, None),
    "lies": ("failed", "results_malformed", None),
    "floods": ("failed", "results_malformed", None),
    "links": ("failed", "results_missing", None),
}
"""of the smoke episodes: attacks of the game while it is played by its own players"""
ROLE_ERRORS = {
    "script@1": "unsafe to embed",
    "snoop@1": "not-found",
    "judge": "The grade has no number `score`",
    "doctor": "not a plain relative path",
}

PLAYER = """
import json, os
from websockets.sync.client import connect

print("my key:", len(os.environ["MY_KEY"]), flush=True)
with connect(os.environ["COWORLD_PLAYER_WS_URL"], open_timeout=60) as game:
    for message in game:
        if json.loads(message)["done"]:
            break
        game.send(json.dumps({"move": "right"}))
"""


class Door(httpx.Client):
    """Calls a server over HTTP. Signed addresses name its public host."""

    def request(self, method: str, url: Any, **options: Any) -> httpx.Response:
        return super().request(method, str(url).replace("http://testserver", ""), **options)


@pytest.fixture
def door(server: Any) -> Iterator[Door]:
    with Door(base_url=server.url, timeout=60, trust_env=False) as door:
        yield door


@pytest.fixture
def work(door: Door, server: Any, admin: Any) -> Iterator[Callable[..., None]]:
    """Runs jobs of the server in a worker, one after the other."""
    token = door.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]
    jobs = HttpJobClient(server.url, token)

    def run(count: int, *, forked: bool = False) -> None:
        worker = Worker(jobs, "machine", minimum="namespaces")
        if forked:  # episodes then have the settings of this process
            worker._context = multiprocessing.get_context("fork")  # type: ignore[assignment]
        for _ in range(count):
            worker.run(once=True)

    yield run
    jobs.close()


class Ada:
    """A user with a private game, its secret, an image, a policy with a secret, and a played episode."""

    def __init__(self, app: FastAPI, door: Door, account: Any, clock: Any) -> None:
        self._door, self.account = door, account
        self.coworld = put_coworld(app, clock, account, "adas-game", visibility="private")
        assert put_secret(door, account, "adas-game/key", GAME_SECRET.encode()).status_code == 200
        self.image = push_image(door, account)
        begun = door.post("/stats/policies/submit/presigned-url", headers=account.headers).json()
        bundle = zipped({"player.py": PLAYER, "policy_spec.json": '{"class_path": "player.Player"}'})
        assert door.put(begun["upload_url"], content=bundle, headers=ZIP).status_code == 200
        body = {"upload_id": begun["upload_id"], "name": "adas", "policy_secret_env": {"MY_KEY": PLAYER_SECRET}}
        completed = door.post("/stats/policies/submit/complete", json=body, headers=account.headers)
        assert completed.status_code == 200, completed.text
        self.policy = completed.json()["id"]

    def play(self, work: Callable[..., None]) -> tuple[str, Any]:
        """Request an episode of the game and let the worker play it; its id and results."""
        roster = [{"player": {"policy_ref": "adas"}}, {"player": {"game_player": "sweep"}}]
        body = {"coworld_id": self.coworld, "roster": roster}
        request = self._door.post("/v2/experience-requests", json=body, headers=self.account.headers).json()
        work(1)
        [row] = self._door.get(f"/v2/experience-requests/{request['id']}/episodes", headers=self.account.headers).json()
        assert row["status"] == "completed", (row["error_type"], row["error"])
        path = f"/v2/episode-requests/{row['id']}/artifacts/results"
        return row["id"], self._door.get(path, headers=self.account.headers).json()


def state_of(app: FastAPI) -> dict[str, Any]:
    """Return the rows of all tables and the digests of all files, except counts of the use of tokens and the queue."""
    state: dict[str, Any] = {}
    with app.state.database.read() as session:
        for mapper in Base.registry.mappers:
            if mapper.local_table.name in ("tokens", "sessions", "workers", "audit_entries", "queue_shares"):
                continue
            columns = [column.key for column in inspect(mapper.class_).column_attrs]
            for row in session.scalars(select(mapper.class_)):
                key = mapper.primary_key_from_instance(row)
                state[f"{mapper.local_table.name} {key}"] = repr([getattr(row, column) for column in columns])
    store = app.state.store
    for path in sorted(Path(store._objects).rglob("*")):
        if path.is_file():
            state[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return state


class Mallory:
    """A stranger with a hostile game, player and reporters."""

    def __init__(self, door: Door, account: Any, wanted: dict[str, Any]) -> None:
        self._door, self.account = door, account
        self._env = {"WANTED": json.dumps(wanted), "MARK": MARK}

    def archive(self, main: Path, **beside: Path) -> bytes:
        """Return a program with the files beside it, and the spy."""
        command = {"images": {"x": {"argv": ["python", "main.py"], "env": self._env}}}
        files = {"main": main, "spy": SPY, **beside}
        sources = {f"{name}.py": path.read_text() for name, path in files.items()}
        return zipped({"coworld_local.json": json.dumps(command), **sources})

    def program(self, main: Path, **beside: Path) -> str:
        """Send a program of the Coworld; the name of its image."""
        data = self.archive(main, **beside)
        assert send_program(self._door, self.account, data)["status"] == "ready"
        return f"sha256:{announced(data)['content_hash']}"

    def manifest(self, episode: str) -> dict[str, Any]:
        """Return the manifest of the hostile Coworld; one of its reporters asks for an episode of another user."""
        manifest = manifest_document(attack="cheats")
        manifest["game"]["name"] = "trap"
        manifest["game"]["config_schema"]["properties"]["attack"] = {"type": "string"}
        image = self.program(HOSTILE / "game.py", honest_game=BAD / "game.py")
        memory = {"limits": {"memory": "256Mi"}}
        manifest["game"]["runnable"] |= {"image": image, "env": self._env, "resources": memory}
        honest = self.program(BAD / "player.py")
        for player in manifest["player"]:
            player |= {"image": honest, "env": {"MARK": MARK}}
        role = {"image": self.program(HOSTILE / "role.py"), "env": self._env, "description": "Looks."}
        manifest["grader"] = [{"type": "grader", "id": "judge", "name": "Judge", **role}]
        manifest["diagnoser"] = [{"type": "diagnoser", "id": "doctor", "name": "Doctor", **role}]
        ask = f"(call $results (i32.const 1024) (i32.const {len(episode)}) (i32.const 64))"
        components = {
            "script": emitting(0, "<script>fetch('/whoami')</script>"),
            "snoop": component(ask + RETURN_ERROR, texts={1024: episode}),
        }
        manifest["reporter"] = [{"reporter": self.reporter(name, data)} for name, data in components.items()]
        manifest["variants"] = [
            {"id": attack, "name": attack, "description": "An attack.", "game_config": {"ticks": 3, "attack": attack}}
            for attack in (*VERDICTS, "plays", "bombs", "hangs")
        ]
        return manifest

    def reporter(self, name: str, data: bytes) -> str:
        """Upload a component; the reference to it."""
        register(self._door, self.account, name, "render-html")
        outputs = [{"name": "recap", "type": "render-html", "description": "The recap."}]
        answer = upload_reporter(self._door, self.account, name, data, outputs=outputs)
        assert answer.status_code == 200, answer.text
        return f"{self.account.user_id}/{name}@1"

    def policy(self, name: str, data: bytes) -> str:
        """Upload a policy that is an archive; the id of its version."""
        body = {"name": name, **announced(data)}
        begun = self._door.post("/stats/policies/files/upload", json=body, headers=self.account.headers).json()
        assert self._door.put(begun["upload_url"], content=data, headers=OCTETS).status_code == 200
        completed = self._door.post("/stats/policies/files/complete", json=body, headers=self.account.headers)
        return str(completed.json()["id"])

    def ask(self, coworld_id: str, variant: str, policy: str | None = None) -> str:
        """Request an episode, with a policy in the second seat; the id of the request."""
        seat = {"policy_ref": policy} if policy else {"game_player": "player-1"}
        roster = [{"player": {"game_player": "player-0"}}, {"player": seat}]
        body = {"coworld_id": coworld_id, "roster": roster, "variant_id": variant}
        answer = self._door.post("/v2/experience-requests", json=body, headers=self.account.headers)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["id"])

    def episode(self, request: str) -> Any:
        path = f"/v2/experience-requests/{request}/episodes"
        [row] = self._door.get(path, headers=self.account.headers).json()
        return row


def what(row: Any) -> tuple[str, str | None, int | None]:
    return row["status"], row["error_type"], row["failed_policy_index"]


def test_a_hostile_coworld_is_contained_and_touches_nothing_of_others(
    app: FastAPI,
    server: Any,
    door: Door,
    work: Callable[..., None],
    account: Callable[..., Any],
    admin: Any,
    clock: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tmp_path.chmod(0o755)  # only the boxes are in the way
    monkeypatch.setenv("SECRET_OF_THE_MACHINE", MACHINE_SECRET)
    ada = Ada(app, door, account("ada"), clock)
    first, results = ada.play(work)
    before = state_of(app)
    assert len([name for name in before if "/objects/" in name]) > 5
    with canaries(tmp_path) as listeners:
        mallory = Mallory(door, account("mallory"), _wanted(app, server, tmp_path, listeners))
        _check_doors(door, mallory, ada, first)

        answer = publish(door, mallory.account, mallory.manifest(first))
        assert answer.status_code == 200, answer.text
        coworld_id = answer.json()["id"]
        work(1 + len(VERDICTS))
        certification = door.get(f"/v2/coworlds/{coworld_id}/certification").json()
        assert (certification["state"], certification["failed_step"]) == ("failed", "results-conform")
        assert certification["failure"]["kind"] == "author"
        path = f"/v2/coworlds/{coworld_id}/episode-requests"
        smoke = {row["env_config_name"]: row for row in _rows(door, mallory, path)}
        assert {name: what(row) for name, row in smoke.items()} == VERDICTS

        player = HOSTILE / "player.py"
        hostile = mallory.policy("spy", mallory.archive(player, honest_player=BAD / "player.py"))
        escaping = mallory.policy("escaping", zipped({"../../player.py": "", "player.py": ""}))
        requests = [
            mallory.ask(coworld_id, "plays", hostile),
            mallory.ask(coworld_id, "plays", escaping),
            mallory.ask(coworld_id, "bombs"),
        ]
        work(len(requests))
        played = [mallory.episode(request) for request in requests]
        assert [what(row) for row in played] == [
            ("completed", None, None),
            ("failed", "player_error", 1),
            ("failed", "crash", None),
        ], played
        monkeypatch.setattr(playing, "DEFAULT_MINUTES", 0.15)
        hanging = mallory.ask(coworld_id, "hangs")
        work(1, forked=True)
        assert what(mallory.episode(hanging)) == ("failed", "episode_timeout", None)

        path = f"/v2/episode-requests/{played[0]['id']}"
        for body in ({}, {"role": "diagnoser", "target": 1}):
            asked = door.post(f"{path}/role-runs", json=body, headers=mallory.account.headers)
            assert asked.status_code == 200, asked.text
            work(len(asked.json()))
        reports = door.get(f"{path}/reports", headers=mallory.account.headers).json()
        assert {(run["status"], *run["outputs"]) for run in reports} == {("failed",)}
        errors = {run["role_id"].rpartition("/")[2]: run["error"] for run in reports}
        for name, says in ROLE_ERRORS.items():
            assert says in errors.pop(name)
        assert errors == {}

        assert [knocked(listener) for listener in listeners] == [False] * len(listeners)
    _check_findings(app, [ada.account.token, admin.token], before)
    assert left_running(MARK) == []
    after = state_of(app)
    assert {name: after.get(name) for name in before} == before
    again = ada.play(work)[1]
    # Moves that come too late for a tick paint later, so the scores of a busy machine may differ.
    assert (again.keys(), again["ticks"], len(again["scores"])) == (results.keys(), results["ticks"], 2)


def _rows(door: Door, mallory: Mallory, path: str) -> list[Any]:
    ids = [entry["id"] for entry in door.get(path, headers=mallory.account.headers).json()["entries"]]
    return [door.get(f"/v2/episode-requests/{name}", headers=mallory.account.headers).json() for name in ids]


def _wanted(app: FastAPI, server: Any, folder: Path, listeners: list[socket.socket]) -> dict[str, Any]:
    """Return where everything is that a spy would like to have."""
    data_dir = app.state.settings.data_dir
    ports = [int(server.url.rpartition(":")[2]), *(listener.getsockname()[1] for listener in listeners[:2])]
    hosts = ["127.0.0.1", "localhost", socket.gethostbyname(socket.gethostname())]
    files = [path for path in data_dir.rglob("*") if path.is_file()]
    return {
        "workspace": str(data_dir),
        "files": [app.state.database.engine.url.database, *map(str, files), f"/proc/{os.getpid()}/environ"],
        "folders": [str(data_dir), str(folder), str(Path(__file__).parent)],
        "processes": [os.getpid(), os.getppid()],
        "addresses": [[host, port] for host in hosts for port in ports],
        "sockets": [str(folder / "s"), f"\0coworld-canary-{os.getpid()}"],
    }


def _check_doors(door: Door, mallory: Mallory, ada: Ada, episode: str) -> None:
    """The stranger's token opens nothing of ada's, and a manifest cannot refer to it."""
    digest = digest_of(HELLO.layers[0])
    for path in (
        f"/v2/coworlds/{ada.coworld}",
        "/v2/coworlds/secrets/adas-game",
        f"/v2/episode-requests/{episode}",
        f"/v2/episode-requests/{episode}/bundle",
        f"/v2/episode-requests/{episode}/{ada.policy}/policy-logs/0",
        f"/v2/container_images/{ada.image['id']}",
        f"{root_of(ada.image)}/blobs/{digest}",
    ):
        assert door.get(path, headers=mallory.account.headers).status_code in (401, 403, 404), path
    image, secret, taken = game("trap"), game("trap"), game("adas-game", "9.0.0")
    image["player"][0]["image"] = ada.image["id"]
    secret["game"]["runnable"]["env"] = {"KEY": "secret://coworld/adas-game/key"}
    statuses = [publish(door, mallory.account, manifest).status_code for manifest in (image, secret, taken)]
    assert statuses == [400, 422, 403]
    roster = [{"player": {"policy_ref": str(ada.policy)}}, {"player": {"game_player": "sweep"}}]
    body = {"coworld_id": ada.coworld, "roster": roster}
    assert door.post("/v2/experience-requests", json=body, headers=mallory.account.headers).status_code == 400


def _check_findings(app: FastAPI, tokens: list[str], before: dict[str, Any]) -> None:
    """No file of the stranger's jobs has anything of others, and every spy found nothing."""
    store, found = app.state.store, []
    secrets = [GAME_SECRET, PLAYER_SECRET, MACHINE_SECRET, *tokens, app.state.keys.secret.hex(), "SQLite format 3"]
    for key in store.keys("jobs/"):
        if str(store.path(key)) in before:
            continue
        data = store.get(key)
        assert [text for text in secrets if text.encode() in data] == [], key
        if key.endswith("game.log"):
            assert b"WROTE" not in data
            found += [line[6:] for line in data.splitlines() if line.startswith(b"FOUND ")]
        if key.endswith("policy_artifact_1.zip") and data.startswith(b"{"):
            found.append(data)
    assert len(found) == 2  # the game's and the player's; those of reporters are in no file
    for text in found:
        document = json.loads(text)
        assert document["reached"] == document["broke"] == []
        assert not [name for name in document["files"] if name.endswith((".db", "environ", "shadow"))]
