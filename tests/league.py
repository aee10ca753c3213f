"""A running server with a small league in it, and a log of what it is asked; for tests of clients."""

from __future__ import annotations

import functools
import json
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import uvicorn
from fastapi import FastAPI

from observatory.accounts.service import create_user, mint_user_token
from observatory.app import create_app
from observatory.database import Database
from observatory.database.migrate import migrate
from observatory.settings import Settings
from observatory.store import job_key
from packages.observatory.tests.world import FREEPLAY, TEAM, World

__all__ = [
    "Account",
    "League",
    "LoggedRequest",
    "expected_calls",
    "filled",
    "logged_calls",
    "make_account",
    "published_calls",
    "running_league",
    "running_server",
]

NOTES = Path(__file__).resolve().parent / "compat" / "published_calls.json"
EMPTY_ROOM = {"mission_name": "room", "num_episodes": 1, "max_steps": 5}
MESSAGE = "hello from the agent\n"


@dataclass(frozen=True)
class LoggedRequest:
    """One request as it arrived: `auth` is token, bearer or none."""

    ask: str
    auth: str

    @property
    def path(self) -> str:
        return self.ask.partition("?")[0]


@dataclass
class League:
    """`names` are the things in it, as notes of calls name them: `{season}`, `{match}`, `{token}` and so on."""

    url: str
    names: dict[str, str]
    world: World
    log: list[LoggedRequest] = field(default_factory=list)

    def http(self, token: str | None = None) -> httpx.Client:
        headers = {"X-Auth-Token": token} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False, verify=False)


def published_calls() -> list[dict[str, Any]]:
    """Our notes of which calls the published client makes: commands, and for each the calls in their order."""
    notes: list[dict[str, Any]] = json.loads(NOTES.read_text())
    return notes


def filled(text: str, names: dict[str, str]) -> str:
    """Return the text with the names in it."""
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def expected_calls(league: League, note: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the calls of a noted command, as `logged_calls` gives them."""
    calls = []
    for call in note["calls"]:
        ask = call["ask"]
        if ask in ("PUT {upload_url}", "GET {replay_url}"):
            calls.append((ask, call["auth"]))
        else:
            calls.append((_comparable(filled(ask, league.names)), call["auth"]))
    return calls


def logged_calls(league: League) -> list[tuple[str, str]]:
    """Return the requests to the server, with names for the URLs that it issued itself."""
    replay = league.names["replay_url"].removeprefix(league.url)

    def named(request: LoggedRequest) -> str:
        if request.path.startswith("PUT /store/"):
            return "PUT {upload_url}"
        return "GET {replay_url}" if request.path == f"GET {replay}" else _comparable(request.ask)

    followed = [request for request in league.log if not request.path.startswith("GET /store/")]
    return [(named(request), request.auth) for request in followed]


@contextmanager
def running_league(folder: Path) -> Iterator[League]:
    """A server on a free port of this machine, until the block ends.

    In it: two users (`{token}`, `{other_token}`), two seasons, three policy versions, a played and a failed match,
    teams, a finished assay run, a player with a credential.
    """
    with running_server(folder) as league:
        _fill(league)
        league.log.clear()
        yield league


@contextmanager
def running_server(folder: Path) -> Iterator[League]:
    """An empty server on a free port of this machine, until the block ends."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        settings = Settings(data_dir=folder, public_url=url, seed_seasons=False, local_workers=0)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "observatory.db").write_bytes(_empty_database())
        app = create_app(settings)
        league = League(url, {}, World(app, lambda: datetime.now(UTC)))
        server = uvicorn.Server(uvicorn.Config(_logged(app, league.log), log_config=None, lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield league
        finally:
            server.should_exit = True
            thread.join()
            app.state.database.close()


@functools.cache
def _empty_database() -> bytes:
    """Return a database with empty tables: migrating takes most of the time of making an application."""
    with tempfile.TemporaryDirectory() as name:
        database = Database(Settings(data_dir=Path(name)).sqlalchemy_url())
        migrate(database)
        database.close()
        return (Path(name) / "observatory.db").read_bytes()


def _comparable(ask: str) -> str:
    """Return a call without what is different each time: signatures, and the order of its parameters."""
    path, _, query = unquote(ask).partition("?")
    return path if "/store/" in path else f"{path}?{'&'.join(sorted(query.split('&')))}".rstrip("?")


def _logged(app: FastAPI, log: list[LoggedRequest]) -> Any:
    async def serve(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            auth = "token" if b"x-auth-token" in headers else "bearer" if b"authorization" in headers else "none"
            query = scope["query_string"].decode()
            log.append(LoggedRequest(f"{scope['method']} {scope['path']}{f'?{query}' if query else ''}", auth))
        await app(scope, receive, send)

    return serve


def _fill(league: League) -> None:
    world = league.world
    ada, bob, root = (make_account(world, name) for name in ("ada", "bob", "root"))
    season, team_season = world.season(FREEPLAY), world.season(TEAM)
    older, version = world.version(ada, "mine"), world.version(ada, "mine")
    other = world.version(bob, "theirs")
    match = world.match(season, "competition", [(version, 2), (other, 2)])
    world.play(match, [1.0, 2.0, 3.0, 4.0])
    failed = world.match(season, "competition", [(version, 2), (other, 2)], repetition=1)
    world.fail(failed, "first line\nit broke")
    job = world.job_of(match)
    for name in ("policy_agent_0.txt", "policy_agent_1.txt", "logs.txt"):
        world.app.state.store.put(job_key(job, name), MESSAGE.encode())
    error_info = {"error_type": "policy_error", "message": "it broke"}
    world.app.state.store.put(job_key(world.job_of(failed), "error_info.json"), json.dumps(error_info).encode())
    for pool in ("stage-1", "policy-scores-1"):
        world.enter(team_season, pool, [version, other])
    for place in ("team-round-1", "team-round-2"):
        world.team(team_season, place, [version, other], score=1.5)
    league.names |= {
        "token": ada.token,
        "other_token": bob.token,
        "admin_token": root.token,
        "season": season,
        "team_season": team_season,
        "version": str(version),
        "older_version": str(older),
        "other_version": str(other),
        "match": str(match),
        "failed_match": str(failed),
    }
    with league.http(ada.token) as http:
        _ok(http.get("/whoami"))
        episode = _ok(http.get(f"/tournament/matches/{match}"))["episode"]
        league.names |= {"episode": episode["id"], "replay_url": episode["replay_url"]}
        league.names["run"] = _played_run(league, http, str(version))
        player = _ok(http.post("/players", json={"name": "Pascal"}))["id"]
        credential = _ok(http.post(f"/players/{player}/credentials", json={"name": "first"}))["id"]
        league.names |= {"player": player, "credential": credential}


def _played_run(league: League, http: httpx.Client, version: str) -> str:
    """Return an assay run of one episode, played and finalised."""
    from sqlalchemy import select

    from mettagrid.config.mettagrid_config import MettaGridConfig
    from observatory.database.tables.jobs import Job

    room = MettaGridConfig.EmptyRoom(2, width=5, height=5).model_dump(mode="json")
    body = {"policy_version_id": version, "missions": [{**EMPTY_ROOM, "env_config": room}]}
    run: str = _ok(http.post("/assay/runs", json=body))["id"]
    with league.world.database.read() as session:
        waiting = list(session.scalars(select(Job.id).where(Job.status == "pending")))
    for job in waiting:
        league.world.finish(job, [1.0, 2.0])
    _ok(http.post(f"/assay/runs/{run}/finalize"))
    return run


@dataclass(frozen=True)
class Account:
    """A user with a token."""

    user_id: str
    token: str


def make_account(world: World, name: str) -> Account:
    """Create a user with a token; `root` is an administrator."""
    with world.database.transaction() as session:
        now = world.clock()
        user = create_user(session, name=name, email=f"{name}@example.com", now=now, is_admin=name == "root")
        return Account(user.id, mint_user_token(session, user, now=now))


def _ok(response: httpx.Response) -> Any:
    assert response.is_success, (response.url, response.status_code, response.text)
    return response.json()
