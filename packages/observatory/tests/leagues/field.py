"""A small field of leagues for tests: Coworlds and rounds are rows, everything else happens over HTTP."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from observatory.accounts.repository import players
from observatory.coworlds.names import name_key
from observatory.database.tables.coworlds import Coworld, Visibility
from observatory.database.tables.leagues import Round, RoundResult, RoundStatus
from observatory.policies import repository as policies
from packages.observatory.tests.world import World

MANIFEST = {
    "game": {"name": "paint", "version": "1.0.0", "description": "Paint the arena"},
    "variants": [{"id": "small", "name": "Small"}, {"id": "large", "name": "Large"}],
}


def raw(public_id: str) -> uuid.UUID:
    """Return the UUID of a public id."""
    return uuid.UUID(public_id.partition("_")[2])


@dataclass
class Field:
    world: World
    client: TestClient
    numbers: int = 0

    def coworld(self, owner: Any, name: str = "paint", version: str = "1.0.0", **columns: Any) -> str:
        """Put a version of a Coworld into the database, canonical and public unless said otherwise; its id."""
        values = {
            "visibility": Visibility.PUBLIC,
            "manifest": MANIFEST,
            "manifest_hash": "0" * 64,
            "size_bytes": 10,
            "canonical": True,
        }
        with self.world.database.transaction() as session:
            row = Coworld(
                name=name,
                name_key=name_key(name),
                version=version,
                user_id=owner.user_id,
                created_at=self.world.clock(),
                **(values | columns),
            )
            session.add(row)
            session.flush()
            return f"cow_{row.id}"

    def seed(self, owner: Any, coworld_name: str = "paint", **fields: Any) -> dict[str, Any]:
        body = {"coworld_name": coworld_name, "league_key": "main", "league_name": "Main", **fields}
        answer = self.client.post("/v2/coworld-league-seeds", json=body, headers=owner.headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def league(self, owner: Any, coworld_name: str = "paint", **fields: Any) -> str:
        """Make a league of a new Coworld; its id."""
        visibility = Visibility.PRIVATE if fields.pop("private", False) else Visibility.PUBLIC
        self.coworld(owner, coworld_name, visibility=visibility)
        return self.seed(owner, coworld_name, **fields)["league_id"]

    def division(self, league_id: str, headers: dict[str, str] | None = None) -> str:
        [division] = self.client.get("/v2/divisions", params={"league_id": league_id}, headers=headers or {}).json()
        return division["id"]

    def submit(self, account: Any, league_id: str, version: uuid.UUID | None = None, **fields: Any) -> Any:
        """Submit a version, by default a new one; the response."""
        version = self.world.version(account) if version is None else version
        body = {"league_id": league_id, "policy_version_id": str(version), **fields}
        return self.client.post("/v2/league-submissions", json=body, headers=account.headers)

    def enter(self, account: Any, league_id: str, **fields: Any) -> str:
        """Submit a new version; the id of its membership."""
        answer = self.submit(account, league_id, **fields)
        assert answer.json()["status"] == "placed", answer.text
        return answer.json()["league_policy_membership_id"]

    def members(self, league_id: str, headers: dict[str, str] | None = None, **query: Any) -> list[dict[str, Any]]:
        answer = self.client.get(
            "/v2/league-policy-memberships", params={"league_id": league_id, **query}, headers=headers or {}
        )
        assert answer.status_code == 200, answer.text
        return answer.json()

    def round(self, division_id: str, scores: dict[uuid.UUID, float] | None = None, **columns: Any) -> str:
        """Put a round into the database, completed with these scores; its id."""
        self.numbers += 1
        now = self.world.clock()
        with self.world.database.transaction() as session:
            row = Round(
                division_id=raw(division_id),
                round_number=self.numbers,
                commissioner_key="platform",
                execution_backend="dispatch",
                round_config={"stages": []},
                **{"status": RoundStatus.COMPLETED, "created_at": now, "completed_at": now, **columns},
            )
            session.add(row)
            session.flush()
            ranked = sorted((scores or {}).items(), key=lambda entry: -entry[1])
            for rank, (version, score) in enumerate(ranked, 1):
                player = self._player(session, version)
                session.add(
                    RoundResult(
                        round_id=row.id,
                        policy_version_id=version,
                        player_id=player,
                        rank=rank,
                        score=score,
                        result_metadata={},
                        created_at=now,
                    )
                )
            return f"round_{row.id}"

    @staticmethod
    def _player(session: Any, version: uuid.UUID) -> str:
        return players(session, policies.version(session, version).policy.user_id)[0].id
