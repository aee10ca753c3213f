"""The seasons that are simulated: small ones of every kind, each prepared once and copied for every run."""

from __future__ import annotations

import asyncio
import atexit
import functools
import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from observatory.accounts.service import create_user, mint_user_token, mint_worker_token
from observatory.database.tables.notices import Channel, NoticeKind, NoticeSettings
from observatory.notices.preferences import PAGE
from packages.observatory.tests.commissioner.scripted import CRASHES
from packages.observatory.tests.requests.conftest import Arena
from packages.observatory.tests.rounds.conftest import Yard
from packages.observatory.tests.world import FREEPLAY, TEAM, World
from tests.simulation.scheduler import Scheduler
from tests.simulation.servers import Cluster, Observer, Server, application
from tests.simulation.store import SimulatedDatabase
from tests.simulation.webhooks import WEBHOOK

__all__ = ["SCENARIOS", "Account", "Scenario", "Template", "template", "workplace"]

GAME = {"mission": "arena", "num_agents": 4}
DATABASE = "observatory.db"
_LADDER = {"scheduler": {"strategy": "round_robin"}, "round_trigger": "new_policy"}


@dataclass(frozen=True)
class Scenario:
    """A season: its kind, its policies, and its rules."""

    name: str
    kind: str
    members: tuple[str, ...]
    rules: Mapping[str, Any] = field(default_factory=dict, hash=False)
    weight: int = 1
    """how often it is played, compared with others: small seasons find most, and cost least"""


SCENARIOS = (
    Scenario("pair", "freeplay", ("one", "two"), {"splits": [[2, 2]], "repetitions": 1}, 6),
    Scenario("free", "freeplay", ("one", "two", "three"), {"splits": [[2, 2]], "repetitions": 1}),
    Scenario("free-crash", "freeplay", ("one", "two", CRASHES), {"splits": [[1, 3]], "repetitions": 1}),
    Scenario(
        "teams",
        "team",
        ("one", "two", "three"),
        {
            "stages": [
                {"kind": "policy_eval", "policies_per_team": 1, "matches_per_combo": 1, "min_policies": 3},
                {"kind": "sample_teams", "team_size": 2, "num_teams": 2},
                {"kind": "team_eval", "matches_per_team": 1, "cull_fraction": 0.5},
                {"kind": "score_policies", "top_k": 2},
            ]
        },
    ),
    Scenario("league", "league", ("ada", "bob", "carol"), weight=3),
)


@dataclass(frozen=True)
class Account:
    """A user of the prepared season."""

    user_id: str
    headers: dict[str, str]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(name.lower(), value) for name, value in self.headers.items()]


@dataclass(frozen=True)
class Template:
    """A prepared season: a database without a match, and the credentials of everyone."""

    scenario: Scenario
    database: Path
    users: dict[str, Account]
    versions: dict[str, str]
    worker_token: str
    reference: str
    """the name of the season, or the id of the league"""
    division: str = ""

    def install(self, folder: Path) -> None:
        """Put it where servers look."""
        _put(self.database, folder)
        shutil.rmtree(folder / "store" / "objects" / "jobs", ignore_errors=True)


@functools.cache
def workplace() -> Path:
    """Return a folder in memory, where the machine has one, with the keys of all servers. It ends with the process."""
    memory = Path("/dev/shm")
    holder = tempfile.TemporaryDirectory(prefix="simulation-", dir=memory if memory.is_dir() else None)
    folder = Path(holder.name)
    atexit.register(holder.cleanup)
    scheduler = Scheduler("keys")
    with scheduler.installed():
        for number in range(3):
            application(number, folder)
    scheduler.close()
    for number in range(3):
        application(number, folder).state.database.close()
    shutil.copyfile(folder / DATABASE, folder / "empty.db")
    return folder


def _put(database: Path, folder: Path) -> None:
    """Replace the database of the servers by a copy of this one."""
    for engine in SimulatedDatabase.engines.values():
        engine.dispose()
    for ending in ("", "-wal", "-shm"):
        (folder / f"{DATABASE}{ending}").unlink(missing_ok=True)
    shutil.copyfile(database, folder / DATABASE)


@functools.cache
def template(scenario: Scenario) -> Template:
    """Prepare a season."""
    folder = workplace()
    _put(folder / "empty.db", folder)
    scheduler = Scheduler(scenario.name)
    asyncio.set_event_loop(scheduler)
    cluster = Cluster(scheduler, folder)
    with scheduler.installed(), Observer(cluster):
        server = Server(cluster, 0)
        server.start()
        prepared = _prepare(scenario, scheduler, server, folder / f"{scenario.name}.db")
        scheduler.close()
    database = server.app.state.database
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    shutil.copyfile(folder / DATABASE, prepared.database)
    return prepared


def _prepare(scenario: Scenario, scheduler: Scheduler, server: Server, path: Path) -> Template:
    world = World(server.app, scheduler.utc)
    users = {}
    with world.database.transaction() as session:
        for name in ("owner", *scenario.members):
            user = create_user(
                session, email=f"{name}@example.com", name=name, now=scheduler.utc(), is_admin=name == "owner"
            )
            token = mint_user_token(session, user, now=scheduler.utc())
            elevated = {"X-Use-Elevated-Privileges": "true"} if name == "owner" else {}
            if name == scenario.members[0]:
                kinds = {NoticeKind.MATCH: [PAGE, Channel.WEBHOOK]}
                session.add(NoticeSettings(user_id=user.id, kinds=kinds, webhook_url=WEBHOOK, webhook_nonce="0" * 32))
            users[name] = Account(user.id, {"X-Auth-Token": token, **elevated})
        worker = mint_worker_token(session, "workers", now=scheduler.utc()).text
    if scenario.kind == "league":
        client: Any = _Client(scheduler, server)
        yard = Yard(world, client, Arena(world, client), users["owner"], "", users.__getitem__)
        yard.start({**_LADDER, "enabled": False})
        # Seats follow the times of entries, which clocks that differ would put in another order: all have entered.
        versions = dict(zip(scenario.members, map(str, yard.enter(*scenario.members)), strict=True))
        return Template(scenario, path, users, versions, worker, yard.league, yard.divisions()["Competition"])
    is_team = scenario.kind == "team"
    rules = {"game": GAME, **scenario.rules} | (
        {} if is_team else {"qualifying_threshold": 0.0, "qualifying_matches": 1}
    )
    name = world.season(TEAM, team=rules) if is_team else world.season(FREEPLAY, freeplay=rules)
    versions = {name: str(world.version(users[name], name)) for name in scenario.members}
    return Template(scenario, path, users, versions, worker, name)


class _Client:
    """Calls the server while a season is prepared, without a network."""

    def __init__(self, scheduler: Scheduler, server: Server) -> None:
        self._scheduler, self._server = scheduler, server

    def request(
        self, method: str, path: str, json: Any = None, headers: Mapping[str, str] | None = None, params: Any = None
    ) -> httpx.Response:
        request = httpx.Request(method, f"http://league{path}", json=json, headers=headers, params=params)
        pairs = [(name.decode().lower(), value.decode()) for name, value in request.headers.raw]
        answer = self._server.handle(method, request.url.raw_path.decode(), pairs, request.read())
        reply = self._scheduler.run_until_complete(answer)
        return httpx.Response(reply.status, headers=reply.headers, content=reply.body)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.request("POST", path, **options)


def ladder_settings() -> bytes:
    """Return the settings with which a league begins to play."""
    return json.dumps({"ladder": {**_LADDER, "enabled": True}}).encode()
