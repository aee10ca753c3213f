"""A league with a commissioner, and a worker that runs its handler in the test."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from fastapi.testclient import TestClient

from coworld.commissioner.protocol import Message, PlatformMessage
from coworld.commissioner.server import Handler
from coworld.errors import CoworldError
from observatory.accounts.service import create_user, mint_user_token
from observatory.commissioners.loop import CommissionerLoop
from observatory.database.tables.coworlds import Coworld, Visibility
from observatory.database.tables.leagues import League
from observatory.public_ids import parse_public_id
from packages.observatory.tests.commissioner.scripted import CRASHES
from packages.observatory.tests.commissioners.script import Script
from packages.observatory.tests.requests.conftest import MANIFEST, Arena
from packages.observatory.tests.world import World

BREAKS = "zed"
"""the policy of this player fails in every episode; it sorts after the others"""
PLAYERS = ("ann", "ben", "eve", BREAKS)


@dataclass
class Connection:
    """A connection of the test to the server, in place of a program in a box."""

    lease: dict[str, Any]
    number: int
    handler: Any
    sent: int = 0
    received: int = 0
    types: list[str] = field(default_factory=list)
    """of the messages to the commissioner"""


@dataclass
class Commissioned:
    """A league of ada's with four players, whose commissioner is a program."""

    world: World
    client: TestClient
    token: str
    owner: Any
    league: str
    division: str
    seed: str
    new_handler: Callable[[], Handler] = Script

    @property
    def loop(self) -> CommissionerLoop:
        state = self.world.app.state
        settings = state.settings.model_copy(update={"commissioner_tick_seconds": 0.0})
        return CommissionerLoop(state.database, settings, self.world.clock)

    def get(self, path: str, **query: Any) -> Any:
        answer = self.client.get(path, params=query, headers=self.owner.headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any, status: int = 200) -> Any:
        answer = self.client.post(path, json=body, headers=self.owner.headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    # --- the worker

    def lease(self, lane: str = "commissioner") -> dict[str, Any] | None:
        body = {"worker": "w", "lane": lane}
        answer = self.client.post("/work/lease", json=body, headers={"X-Auth-Token": self.token})
        assert answer.status_code in (200, 204), answer.text
        return None if answer.status_code == 204 else answer.json()

    def call(self, lease: dict[str, Any], verb: str, body: Any, status: int = 200) -> Any:
        headers = {"X-Auth-Token": lease["job_token"]}
        answer = self.client.post(f"/work/jobs/{lease['job_id']}/{verb}", json=body, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    def connect(self, lease: dict[str, Any] | None = None) -> Connection:
        """Lease a commissioner and connect to it."""
        lease = lease or self.lease()
        assert lease is not None, "no commissioner is queued"
        self.call(lease, "heartbeat", {"status": "running"})
        number = self.call(lease, "commissioner/connect", {})["connection"]
        assert number is not None
        return Connection(lease, number, self.new_handler())

    def fetch(self, connection: Connection) -> tuple[list[Any], bool]:
        body = {"connection": connection.number, "after": connection.sent}
        answer = self.call(connection.lease, "commissioner/next", body)
        connection.sent += len(answer["messages"])
        messages = [PlatformMessage.from_json(json.loads(text)) for text in answer["messages"]]
        connection.types += [message.message_type for message in messages]
        return messages, answer["is_over"]

    def say(self, connection: Connection, message: Message | str, *, again: bool = False) -> bool:
        """Send a message of the commissioner; whether the conversation is over."""
        connection.received += not again
        text = message if isinstance(message, str) else json.dumps(message.to_json())
        body = {"connection": connection.number, "number": connection.received, "text": text}
        return self.call(connection.lease, "commissioner/messages", body)["is_over"]

    def answer(self, connection: Connection) -> bool:
        """Let the handler answer what there is; whether the conversation is over."""
        while True:
            messages, is_over = self.fetch(connection)
            if is_over or not messages:
                return is_over
            for message in messages:
                try:
                    replies = connection.handler(message)
                except CoworldError as problem:  # a program closes its socket then
                    self.close(connection, str(problem), is_refusal=True)
                    return True
                for reply in [replies] if isinstance(replies, Message) else replies or ():
                    if self.say(connection, reply):
                        return True

    def close(self, connection: Connection, reason: str = "it crashed", *, is_refusal: bool = False) -> None:
        body = {"connection": connection.number, "reason": reason, "is_refusal": is_refusal}
        self.call(connection.lease, "commissioner/closed", body)

    def converse(self) -> Connection:
        """Hold a whole conversation that waits for no episode."""
        connection = self.connect()
        assert self.answer(connection)
        return connection

    def play(self) -> list[str]:
        """Play all episodes that wait; how they ended, by the words of the queue."""
        ended = []
        arena = Arena(self.world, self.client)
        while (lease := arena.lease(self.token)) is not None:
            arena.beat(lease)
            names = lease["spec"]["policy_names"]
            broken = next((seat for seat, name in enumerate(names) if CRASHES in name), None)
            if broken is None:
                scores = [float(1 + len(name) + 3 * ord(name[0]) + seat) for seat, name in enumerate(names)]
                results = json.dumps({"scores": scores, "ticks": 12}).encode()
                arena.finish(lease, {"results.json": results, "replay": b"replay"})
                ended.append("completed")
            else:
                error = {"error_type": "player_error", "message": "it broke", "failed_policy_index": broken}
                arena.finish(lease, {}, error=error)
                ended.append("failed")
        return ended

    # --- what has happened

    def rounds(self) -> list[dict[str, Any]]:
        """Return the rounds, oldest first."""
        return self.get("/v2/rounds", league_id=self.league)["entries"][::-1]

    def state(self) -> Any:
        with self.world.database.read() as session:
            return session.get_one(League, parse_public_id("league", self.league)).state

    def members(self) -> dict[str, tuple[str, str, bool]]:
        """Return (division, status, is champion) of each player."""
        rows = self.get("/v2/league-policy-memberships", league_id=self.league)
        return {row["player"]["name"]: (row["division"]["name"], row["status"], row["is_champion"]) for row in rows}

    def outcome(self) -> Any:
        """Return everything that rounds decide, without ids and times."""
        versions = {row["policy_version"]["id"]: row["player"]["name"] for row in self._members()}
        rounds = [self.get(f"/v2/rounds/{row['id']}") for row in self.rounds()]
        return {
            "rounds": [
                {
                    "number": row["round_number"],
                    "status": row["status"],
                    "display": row["round_display"],
                    "results": [
                        (result["rank"], versions[result["policy_version"]["id"]], result["score"])
                        for result in row["results"]
                    ],
                }
                for row in rounds
            ],
            "members": self.members(),
            "state": self.state(),
            "tables": {row["name"]: self._table(row["id"]) for row in self.get("/v2/divisions", league_id=self.league)},
        }

    def _members(self) -> Any:
        return self.get("/v2/league-policy-memberships", league_id=self.league)

    def _table(self, division_id: str) -> Any:
        rows = self.get(f"/v2/divisions/{division_id}/leaderboard") or []
        return [(row["rank"], row["player_name"], row["score"], row["rounds_played"]) for row in rows]


def make_commissioned(
    world: World,
    client: TestClient,
    owner: Any,
    token: str,
    *,
    image: str | None = "softmax/default-commissioner:latest",
    **overrides: Any,
) -> Commissioned:
    """Make a league of Paint Arena with four players; its commissioner has this image, if it has one."""
    entry = {"id": "mine", "type": "commissioner", "name": "Mine", "description": "Decides", "image": image}
    arena = Arena(world, client)
    coworld_id = arena.coworld(owner)
    with world.database.transaction() as session:
        row = session.get_one(Coworld, parse_public_id("cow", coworld_id))
        row.manifest = {**MANIFEST, "commissioner": [] if image is None else [entry]}
        row.canonical, row.visibility = True, Visibility.PUBLIC
    body = {
        "coworld_name": "paintarena",
        "league_key": "main",
        "league_name": "Main",
        "default_variant_id": "quick",
        "overrides": {"commissioner_key": "container", **overrides},
    }
    answer = client.post("/v2/coworld-league-seeds", json=body, headers=owner.headers)
    assert answer.status_code == 200, answer.text
    league, seed = answer.json()["league_id"], answer.json()["id"]
    for name in PLAYERS:
        account = make_account(world, name)
        version = arena.policy(account, f"{name}-{CRASHES}" if name == BREAKS else name)
        submit(client, account, league, version)
    [division] = client.get("/v2/divisions", params={"league_id": league}).json()
    return Commissioned(world, client, token, owner, league, division["id"], seed)


def make_account(world: World, name: str) -> Any:
    with world.database.transaction() as session:
        user = create_user(session, email=f"{name}@example.com", name=name, now=world.clock())
        token = mint_user_token(session, user, now=world.clock())
    return SimpleNamespace(user_id=user.id, headers={"X-Auth-Token": token})


def submit(client: TestClient, account: Any, league: str, version: uuid.UUID) -> None:
    body = {"league_id": league, "policy_version_id": str(version), "auto_champion": "always"}
    answer = client.post("/v2/league-submissions", json=body, headers=account.headers)
    assert answer.json()["status"] == "placed", answer.text
