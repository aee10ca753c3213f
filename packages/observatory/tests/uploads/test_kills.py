"""Kill the server while a client uploads: nothing acknowledged is lost, nothing exists twice, nothing is left over.

`UPLOAD_KILLS` is the number of kills (3); `make soak` asks for 50 on each database.
"""

from __future__ import annotations

import hashlib
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import anyio
import pytest
from sqlalchemy import func, select

from observatory.accounts.service import create_user, mint_user_token, mint_worker_token
from observatory.app import create_app
from observatory.database.tables.coworlds import Certification, ContentFile, Coworld
from observatory.database.tables.images import Blob, BlobUpload, ContainerImage, ImageStatus
from observatory.database.tables.jobs import Job
from observatory.database.tables.policies import Policy, PolicyKind, PolicyVersion, Upload
from observatory.database.tables.requests import EpisodeRequest
from observatory.images.collecting import collect_garbage
from observatory.operations.leftovers import remove_leftovers
from observatory.operations.sweeping import sweep
from observatory.settings import Settings
from observatory.store.layout import blob_key, content_key, policy_file_key
from packages.observatory.tests.commissioner.killing import Nursery, Processes, processes, wait_until
from packages.observatory.tests.images.pushing import digest_of
from packages.observatory.tests.uploads.resuming import Acknowledged, ResumingClient

pytestmark = pytest.mark.any_database

KILLS = int(os.environ.get("UPLOAD_KILLS", "3"))
SEED = int(os.environ.get("KILLS_SEED", "7"))
MOST_ANSWERS = 25 if KILLS > 10 else 12
"""of a server before it is killed; the client sends about 30 requests for all of one author's uploads"""


class Killer(threading.Thread):
    """Kills the server, and now and then a worker, each time a moment after some answers to the client."""

    def __init__(self, running: Processes, client: ResumingClient, chance: random.Random) -> None:
        super().__init__(daemon=True)
        self._running, self._client, self._chance = running, client, chance
        self._stopped = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self.join()

    def run(self) -> None:
        for number in range(KILLS):
            enough = self._client.answered + 1 + self._chance.randrange(MOST_ANSWERS)
            while self._client.answered < enough:
                if self._stopped.wait(0.01):
                    return
            time.sleep(self._chance.random() / 10)  # anywhere in the request that follows
            self._running.kill_server()
            if number % 5 == 4:
                self._running.kill(self._chance)


def test_nothing_acknowledged_is_lost_whenever_the_server_is_killed(
    tmp_path: Path, database_kind: str, new_database_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OBSERVATORY_MAX_JOB_ATTEMPTS", "1000")  # no machine is at fault, however often it is killed
    url = None if database_kind == "sqlite" else new_database_url()
    settings = Settings(data_dir=tmp_path, database_url=url, seed_seasons=False)
    token = prepare(settings)
    chance = random.Random(SEED)
    with (
        Nursery() as nursery,
        processes(nursery, tmp_path, url) as running,
        closing(ResumingClient(running.url, token, random.Random(SEED + 1))) as client,
    ):
        with Killer(running, client, chance) as killer:
            number = 0
            while killer.is_alive() or not number:
                client.upload_everything(number)
                number += 1
        wait_until(lambda: are_canonical(client), lambda: running.log, every_seconds=0.2)
        check_what_is_served(client)
        assert "Traceback" not in running.log
    assert client.lost > 0 and (client.resumed > 0 or KILLS < 20)
    check_what_is_stored(settings, client)


def prepare(settings: Settings) -> str:
    """Make a data folder with one user and a token for workers; the user's token."""
    app = create_app(settings)
    now = datetime.now(UTC)
    with app.state.database.transaction() as session:
        user = create_user(session, email="ada@example.com", name="ada", now=now)
        token = mint_user_token(session, user, now=now)
        (settings.data_dir / "worker").write_text(mint_worker_token(session, "workers", now=now).text)
    app.state.database.close()
    return token


def are_canonical(client: ResumingClient) -> bool:
    """Return whether every Coworld was certified, and its smoke episodes played."""
    rows = [client.get(f"/v2/coworlds/{coworld_id}").json() for coworld_id in client.done.coworlds]
    return all(row["canonical"] for row in rows)


def check_what_is_served(client: ResumingClient) -> None:
    done = client.done
    for digest, path in done.blobs.items():
        assert digest_of(client.get(path).content) == digest
    for root, manifest in done.manifests.items():
        assert client.get(f"{root}/manifests/{digest_of(manifest)}").content == manifest
    for image_id, row in done.images.items():
        served = client.get(f"/v2/container_images/{image_id}").json()
        assert served["status"] == "ready" and served["image_digest"] == row["image_digest"]
    for version_id, name in [*done.image_policies.items(), *((key, file[0]) for key, file in done.files.items())]:
        assert client.get(f"/stats/policy-versions/{version_id}").json()["name"] == name
    for coworld_id, row in done.coworlds.items():
        served = client.get(f"/v2/coworlds/{coworld_id}").json()
        assert served["manifest"] == row["manifest"]
        [digest] = [
            player["image"][7:] for player in row["manifest"]["player"] if player["image"].startswith("sha256:")
        ]
        assert client.get(f"/v2/coworlds/{coworld_id}/programs/{digest}").content == done.programs[digest]
        [episode] = client.get(f"/v2/coworlds/{coworld_id}/episode-requests").json()["entries"]
        assert episode["status"] == "completed"


def check_what_is_stored(settings: Settings, client: ResumingClient) -> None:
    """Collect garbage as two days later; what remains is what was acknowledged, once, and recorded."""
    state = create_app(settings).state
    database, store, later = state.database, state.store, datetime.now(UTC) + timedelta(days=2)
    for path in (settings.data_dir / "store" / "incoming").iterdir():
        os.utime(path, (0, 0))
    sweep(database, store, later)
    anyio.run(collect_garbage, database, store, later)
    anyio.run(remove_leftovers, database, store, datetime.now(UTC) + timedelta(hours=2))
    done: Acknowledged = client.done
    with database.read() as session:

        def count(table: Any, *conditions: Any) -> int:
            return session.scalar(select(func.count()).select_from(table).where(*conditions)) or 0

        assert count(BlobUpload) == count(Upload, Upload.completed_at.is_(None)) == 0
        images = {f"img_{row.id}": row.digest for row in session.scalars(select(ContainerImage))}
        assert images == {image_id: row["image_digest"] for image_id, row in done.images.items()}
        assert count(ContainerImage, ContainerImage.status != ImageStatus.READY) == 0
        assert set(session.scalars(select(Blob.digest))) == set(done.blobs)
        programs = list(session.scalars(select(ContentFile.sha256)))
        assert sorted(programs) == sorted(done.programs)
        coworlds = {f"cow_{row.id}": row.name for row in session.scalars(select(Coworld))}
        assert coworlds == {coworld_id: row["name"] for coworld_id, row in done.coworlds.items()}
        assert len(set(coworlds.values())) == len(coworlds) == count(Certification) == count(EpisodeRequest)
        assert count(Job) == 2 * len(coworlds)
        versions = session.execute(
            select(PolicyVersion.id, Policy.name, PolicyVersion.kind, PolicyVersion.bundle_sha256).join(Policy)
        ).all()
    files = {str(version): (name, digest) for version, name, kind, digest in versions if kind is PolicyKind.FILE}
    assert files == {version: (name, hashlib.sha256(data).hexdigest()) for version, (name, data) in done.files.items()}
    # A request for a version from an image makes one each time; one without an answer may have made it.
    from_images = {str(version): name for version, name, kind, _ in versions if kind is not PolicyKind.FILE}
    assert done.image_policies.items() <= from_images.items()
    assert all(made <= client.attempts[name] for name, made in Counter(from_images.values()).items())
    expected = {blob_key(digest) for digest in done.blobs} | {content_key("program", digest) for digest in programs}
    expected |= {policy_file_key(digest) for _, digest in files.values()}
    keys = {key for prefix in ("images/", "content", "policies/") for key in store.keys(prefix)}
    assert keys | set(store.keys("content-uploads/")) == expected
    assert list((settings.data_dir / "store" / "incoming").iterdir()) == []
    for digest in done.blobs:
        assert digest_of(store.get(blob_key(digest))) == digest
    for _, digest in files.values():
        assert hashlib.sha256(store.get(policy_file_key(digest))).hexdigest() == digest
    database.close()
