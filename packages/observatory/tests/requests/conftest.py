"""Paint Arena in the database, and a worker that plays it in the test: leases, results, endings over HTTP."""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import coworld.examples.paintarena
from observatory.accounts.principal import Principal
from observatory.database import new_id
from observatory.database.tables.accounts import User
from observatory.database.tables.coworlds import Coworld, Visibility
from observatory.database.tables.policies import Policy, PolicyKind, PolicyVersion, SelectionScope
from observatory.policies import service as policies
from observatory.store import bundle_key
from packages.observatory.tests.world import World

MANIFEST = json.loads(
    (Path(coworld.examples.paintarena.__file__).parent / "coworld_manifest.json").read_text(encoding="utf-8")
)
QUICK = {"max_ticks": 12, "tick_rate": 60}
RESULTS = {"scores": [3, 5], "painted_tiles": [3, 5], "ticks": 12}


def archive(files: Mapping[str, str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as target:
        for name, text in files.items():
            target.writestr(name, text)
    return data.getvalue()


@dataclass
class Arena:
    """Paint Arena on a server, the policies of its players, and a stand-in for a worker."""

    world: World
    client: TestClient

    def coworld(self, owner: Any, *, visibility: Visibility = Visibility.PUBLIC, version: str = "1.0.0") -> str:
        """Publish Paint Arena; its public id."""
        with self.world.database.transaction() as session:
            row = Coworld(
                id=new_id(),
                name="paintarena",
                name_key="paintarena",
                version=version,
                user_id=owner.user_id,
                visibility=visibility,
                manifest=MANIFEST,
                manifest_hash="0" * 64,
                size_bytes=1,
                canonical=False,
                created_at=self.world.clock(),
            )
            session.add(row)
            return f"cow_{row.id}"

    def policy(
        self,
        owner: Any,
        name: str = "mine",
        *,
        scope: SelectionScope = SelectionScope.OWNER_VISIBLE,
        bundle: bytes = b"zip",
        player_id: str | None = None,
    ) -> uuid.UUID:
        """Make the next version of a policy with a bundle; its id."""
        with self.world.database.transaction() as session:
            principal = Principal(session.get_one(User, owner.user_id))
            state = self.world.app.state
            policy: Policy = policies.get_or_create_policy(
                session, principal, name, settings=state.settings, now=self.world.clock()
            )
            policy.selection_scope = scope
            number = session.query(PolicyVersion).filter_by(policy_id=policy.id).count() + 1
            version_id = new_id()
            state.store.put(bundle_key(version_id), bundle)
            version = PolicyVersion(
                id=version_id,
                policy_id=policy.id,
                version=number,
                player_id=player_id,
                kind=PolicyKind.BUNDLE,
                bundle_key=bundle_key(version_id),
                bundle_bytes=len(bundle),
                bundle_sha256="0" * 64,
                spec={},
                attributes={},
                tags={},
                created_at=self.world.clock(),
            )
            session.add(version)
            return version_id

    def ask(self, account: Any, coworld_id: str, roster: list[Any], status: int = 200, **fields: Any) -> Any:
        """Ask for episodes; the answer, which has this status."""
        seats = [entry if "player" in entry else {"player": entry} for entry in roster]
        body = {"coworld_id": coworld_id, "roster": seats, **fields}
        answer = self.client.post("/v2/experience-requests", json=body, headers=account.headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    def get(self, account: Any, path: str, status: int = 200, **query: Any) -> Any:
        answer = self.client.get(path, params=query, headers={} if account is None else account.headers)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.headers.get("content-type", "").startswith("application/json") else answer

    def lease(self, token: str) -> Any:
        """Lease the next job as a worker; None if there is none."""
        answer = self.client.post("/work/lease", json={"worker": "w"}, headers={"X-Auth-Token": token})
        return None if answer.status_code == 204 else answer.json()

    def beat(self, lease: Any) -> None:
        self._call(lease, "heartbeat", {"status": "running"})

    def finish(self, lease: Any, files: Mapping[str, bytes] | None = None, error: Any = None) -> None:
        """Send the files of an episode and end its job."""
        left = {"results.json": json.dumps(RESULTS).encode(), "replay": b"replay"} if files is None else files
        for name, data in left.items():
            kind = "application/json" if name.endswith(".json") else _TYPES.get(name.rpartition(".")[2], _ANY)
            answer = self.client.put(lease["outputs"][name], content=data, headers={"Content-Type": kind})
            assert answer.status_code == 200, answer.text
        body = {"status": "completed" if error is None else "failed", "error_info": error}
        self._call(lease, "finish", body)

    def release(self, lease: Any, fault: str, error_type: str | None = None) -> None:
        self._call(lease, "release", {"fault": fault, "error_type": error_type})

    def _call(self, lease: Any, verb: str, body: Any) -> None:
        headers = {"X-Auth-Token": lease["job_token"]}
        answer = self.client.post(f"/work/jobs/{lease['job_id']}/{verb}", json=body, headers=headers)
        assert answer.status_code == 200, answer.text


_ANY = "application/octet-stream"
_TYPES = {"log": "text/plain", "zip": "application/zip", "jsonl": "application/jsonl"}


@pytest.fixture
def arena(world: World, client: TestClient) -> Arena:
    return Arena(world, client)


@pytest.fixture
def token(client: TestClient, admin: Any) -> str:
    """A worker's token."""
    return client.post("/admin/tokens", json={"name": "worker"}, headers=admin.headers).json()["token"]
