"""A league of Paint Arena on the platform ladder. Its loop is run by hand; a worker in the test brings scores."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi.testclient import TestClient

from observatory.database.tables.coworlds import Coworld
from packages.observatory.tests.leagues.field import raw
from packages.observatory.tests.requests.conftest import Arena
from packages.observatory.tests.world import World

Fault = Mapping[str, Any]
"""the `error_info` of an episode that fails"""
Play = Callable[[list[str]], "list[float] | Fault"]
"""from the names of the seats to their scores"""


def alphabetical(names: list[str]) -> list[float]:
    """The first name of the alphabet wins."""
    return [float(sum(other > name for other in names)) for name in names]


def blames(name: str) -> Play:
    """An episode with this policy fails, and it is at fault."""

    def play(names: list[str]) -> list[float] | Fault:
        seats = [seat for seat, found in enumerate(names) if found.startswith(f"{name}:")]
        fault = {"error_type": "player_error", "message": f"{name} broke", "failed_policy_index": (seats or [0])[0]}
        return fault if seats else alphabetical(names)

    return play


@dataclass
class Yard:
    """A league, its owner and a worker."""

    world: World
    client: TestClient
    arena: Arena
    owner: Any
    token: str
    account: Callable[..., Any]
    league: str = ""
    coworld: str = ""
    members: dict[str, str] = field(default_factory=dict)
    """memberships by the name of the policy"""

    def start(self, ladder: Mapping[str, Any] | None = None, **settings: Any) -> None:
        """Make the league; its ladder is on. The entry division is `Competition`."""
        self.coworld = self.arena.coworld(self.owner)
        with self.world.database.transaction() as session:
            session.get_one(Coworld, raw(self.coworld)).canonical = True
        body = {
            "coworld_name": "paintarena",
            "league_key": "main",
            "league_name": "Main",
            "default_variant_id": "quick",
        }
        self.league = self.call("POST", "/v2/coworld-league-seeds", body)["league_id"]
        self.configure(ladder, **settings)

    def configure(self, ladder: Mapping[str, Any] | None = None, **settings: Any) -> None:
        scheduler = {"strategy": "round_robin"}
        document = {"ladder": {"enabled": True, "scheduler": scheduler, **(ladder or {})}, **settings}
        self.call("POST", f"/v2/leagues/{self.league}/settings", document)

    def enter(self, *names: str, **fields: Any) -> list[uuid.UUID]:
        """Let a user of each name submit a policy of this name; the versions."""
        versions = []
        for name in names:
            user = self.account(name)
            version = self.arena.policy(user, name)
            body = {"league_id": self.league, "policy_version_id": str(version), **fields}
            answer = self.client.post("/v2/league-submissions", json=body, headers=user.headers)
            assert answer.json()["status"] == "placed", answer.text
            self.members[name] = answer.json()["league_policy_membership_id"]
            versions.append(version)
        return versions

    def check(self) -> None:
        """One pass of the loop; a division that could not be checked fails the test."""
        loop = self.world.app.state.league_loop
        loop.check_all()
        assert not [check.why for check in loop.last.values() if check.failed]

    def why(self) -> str:
        """Return what the only division waits for."""
        [check] = self.world.app.state.league_loop.last.values()
        return check.why

    def play(self, play: Play = alphabetical, *, limit: int | None = None) -> int:
        """Play all jobs that are queued; return how many."""
        played = 0
        while limit is None or played < limit:
            lease = self.arena.lease(self.token)
            if lease is None:
                break
            found = play(lease["spec"]["policy_names"])
            if isinstance(found, list):
                files = {"results.json": json.dumps({"scores": found}).encode(), "replay": b"replay"}
                self.arena.finish(lease, files)
            else:
                self.arena.finish(lease, {}, error=dict(found))
            played += 1
        return played

    def round(self, play: Play = alphabetical) -> dict[str, Any]:
        """Open a round, play and settle it; the round as everyone sees it."""
        self.check()
        self.play(play)
        self.check()
        return self.rounds()[0]

    def rounds(self, **query: Any) -> list[dict[str, Any]]:
        rows = self.read("/v2/rounds", league_id=self.league, **query)["entries"]
        return [self.read(f"/v2/rounds/{row['id']}") for row in rows]

    def events(self, kind: str) -> list[dict[str, Any]]:
        return self.read("/v2/competition-events", league_id=self.league, event_type=kind)

    def table(self, division: str | None = None) -> list[tuple[int, str, float]]:
        """Return rank, player and rating of a division's players."""
        division = division or self.divisions()["Competition"]
        rows = self.read(f"/v2/divisions/{division}/leaderboard")
        return [(row["rank"], row["player_name"], row["score"]) for row in rows]

    def divisions(self) -> dict[str, str]:
        return {row["name"]: row["id"] for row in self.read("/v2/divisions", league_id=self.league)}

    def member(self, name: str) -> dict[str, Any]:
        rows = self.read("/v2/league-policy-memberships", league_id=self.league)
        return next(row for row in rows if row["id"] == self.members[name])

    def read(self, path: str, **query: Any) -> Any:
        answer = self.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def call(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        """Call the server as the owner of the league."""
        answer = self.client.request(method, path, json=body, headers=self.owner.headers)
        assert answer.status_code == status, answer.text
        return answer.json()


@pytest.fixture
def yard(world: World, client: TestClient, account: Callable[..., Any], admin: Any) -> Yard:
    token = client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]
    return Yard(world, client, Arena(world, client), account("owner"), token, account)
