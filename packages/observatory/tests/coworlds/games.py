"""A small game for tests, and what has to happen until leagues play it."""

from __future__ import annotations

import copy
import json
import uuid
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient

import coworld.examples.paintarena
from observatory.coworlds import manifests
from observatory.coworlds.names import name_key
from observatory.database import new_id
from observatory.database.tables.coworlds import Coworld, Visibility
from observatory.database.tables.jobs import Job
from observatory.job_states import JobStatus
from observatory.jobs.service import Ending, end
from observatory.jobs.transitions import move
from observatory.public_ids import parse_public_id, public_id

_FILE = Path(coworld.examples.paintarena.__file__).with_name("coworld_manifest.json")
_MANIFEST = json.loads(_FILE.read_text())
QUICK = {"width": 6, "height": 6, "max_ticks": 6, "tick_rate": 60, "lockstep": True}
PASSED = {
    "certified": True,
    "contract_version": "coworld-executable/1",
    "steps": [{"id": "matriculate", "status": "pass"}],
}


def game(name: str = "paintarena", version: str = "1.0.0", *, variants: int = 1, **changes: Any) -> dict[str, Any]:
    """Return the manifest of Paint Arena, whose images are our own, with fewer and shorter variants."""
    manifest = copy.deepcopy(_MANIFEST)
    manifest["game"] |= {"name": name, "version": version}
    manifest["variants"] = manifest["variants"][:variants]
    for variant in manifest["variants"]:
        variant["game_config"] |= QUICK
    manifest["certification"]["game_config"] |= {"width": 6, "height": 6, "max_ticks": 40}
    return manifest | changes


def publish(client: TestClient, account: Any, manifest: dict[str, Any], **options: Any) -> Any:
    """Upload a manifest."""
    return client.post("/v2/coworlds/upload", json={"manifest": manifest, **options}, headers=account.headers)


def put_coworld(app: FastAPI, clock: Any, account: Any, name: str = "paintarena", **options: Any) -> str:
    """Put a version into the database as if it had been uploaded and had passed; its public id."""
    version, visibility = options.get("version", "1.0.0"), options.get("visibility", "public")
    manifest = options.get("manifest") or game(name, version)
    manifest_hash, size = manifests.digest(manifest)
    with app.state.database.transaction() as session:
        row = Coworld(
            id=new_id(),
            name=name,
            name_key=name_key(name),
            version=version,
            user_id=account.user_id,
            visibility=Visibility(visibility),
            manifest=manifest,
            manifest_hash=manifest_hash,
            size_bytes=size,
            canonical=options.get("canonical", True),
            created_at=clock(),
        )
        session.add(row)
        session.flush()
        return public_id("cow", row.id)


def jobs_of(app: FastAPI, coworld_id: str, job_type: str) -> list[uuid.UUID]:
    """Return the jobs about a Coworld that wait, oldest first."""
    wanted = str(parse_public_id("cow", coworld_id))
    with app.state.database.read() as session:
        rows = (
            session.query(Job).filter_by(job_type=job_type, status=JobStatus.PENDING).order_by(Job.created_at, Job.id)
        )
        return [row.id for row in rows if row.stored_spec.get("coworld_id") == wanted]


def end_job(app: FastAPI, clock: Any, job_id: uuid.UUID, ending: Ending) -> None:
    """End a job as a worker does."""
    with app.state.database.transaction() as session:
        job = session.get_one(Job, job_id)
        move(session, job, JobStatus.DISPATCHED, now=clock())
        end(session, job, ending, now=clock())


def pass_certification(app: FastAPI, clock: Any, coworld_id: str) -> None:
    [job_id] = jobs_of(app, coworld_id, "certification")
    end_job(app, clock, job_id, Ending(JobStatus.COMPLETED, PASSED))


def pass_smoke_episodes(app: FastAPI, clock: Any, coworld_id: str) -> None:
    result = {"rewards": [1.0, 2.0], "action_timeouts": [0, 0], "stats": {"game": {}, "agent": [{}, {}]}, "steps": 6}
    for job_id in jobs_of(app, coworld_id, "episode"):
        end_job(app, clock, job_id, Ending(JobStatus.COMPLETED, result))
