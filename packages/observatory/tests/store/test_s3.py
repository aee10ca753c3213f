"""The S3 store end to end, with moto as the store: uploads, downloads, rules and what is removed."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import boto3
import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.accounts.service import create_user, mint_user_token
from observatory.operations.leftovers import remove_leftovers
from observatory.operations.sweeping import sweep
from observatory.store import bundle_key, job_key, policy_file_key
from observatory.store.s3 import S3Store
from packages.observatory.tests.world import FREEPLAY, World, bundle

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

ZIP = {"Content-Type": "application/zip"}
OCTETS = {"Content-Type": "application/octet-stream"}
BROWSER = {"Sec-Fetch-Mode": "cors"}


class Server:
    """An application whose store is a bucket, and a user."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.store: S3Store = app.state.store
        self.client = TestClient(app, follow_redirects=False)
        with app.state.database.transaction() as session:
            user = create_user(session, email="ada@example.com", now=app.state.clock())
            self.user_id = user.id
            self.headers = {"X-Auth-Token": mint_user_token(session, user, now=app.state.clock())}

    def post(self, path: str, body: Any = None) -> httpx.Response:
        response: httpx.Response = self.client.post(path, json=body, headers=self.headers)
        return response


@pytest.fixture
def server(make_app: Callable[..., FastAPI], s3_address: str, s3_bucket: str) -> Server:
    return Server(make_app(store="s3", s3_bucket=s3_bucket, s3_endpoint_url=s3_address, s3_prefix="league"))


def announced(content: bytes) -> dict[str, Any]:
    return {"name": "mine", "content_hash": hashlib.sha256(content).hexdigest(), "size_bytes": len(content)}


def test_a_url_for_a_file_is_signed_for_its_size_and_only_the_announced_bytes_count(server: Server) -> None:
    body = announced(b"a policy")
    url = server.post("/stats/policies/files/upload", body).json()["upload_url"]
    assert "content-length" in httpx.URL(url).params["X-Amz-SignedHeaders"].split(";")
    assert httpx.put(url, content=b"other!!!", headers=OCTETS).is_success  # the size fits, the bytes do not
    refused = server.post("/stats/policies/files/complete", body)
    assert refused.status_code == 400 and "SHA-256" in refused.json()["detail"]
    assert server.store.keys("policies/") == []
    url = server.post("/stats/policies/files/upload", body).json()["upload_url"]
    assert httpx.put(url, content=b"a policy", headers=OCTETS).is_success
    assert server.post("/stats/policies/files/complete", body).status_code == 200
    assert httpx.put(url, content=b"evil 8 b", headers=OCTETS).is_success  # S3 counts no uses
    assert server.post("/stats/policies/files/complete", body).status_code == 200
    assert server.store.get(policy_file_key(body["content_hash"])) == b"a policy"


def test_only_files_without_a_row_are_removed_and_only_after_an_hour(server: Server) -> None:
    begun = server.post("/stats/policies/submit/presigned-url").json()
    httpx.put(begun["upload_url"], content=bundle(), headers=ZIP)
    completed = server.post("/stats/policies/submit/complete", {"upload_id": begun["upload_id"], "name": "mine"})
    assert completed.status_code == 200
    httpx.put(begun["upload_url"], content=b"a second use", headers=ZIP)
    body = announced(b"a policy")
    url = server.post("/stats/policies/files/upload", body).json()["upload_url"]
    httpx.put(url, content=b"a policy", headers=OCTETS)
    assert server.post("/stats/policies/files/complete", body).status_code == 200
    pending = server.post("/stats/policies/submit/presigned-url").json()
    httpx.put(pending["upload_url"], content=bundle(), headers=ZIP)
    kept = {bundle_key(uuid.UUID(completed.json()["id"])), policy_file_key(body["content_hash"]), pending["s3_key"]}
    orphan = policy_file_key("0" * 64)
    server.store.put(orphan, b"left by a server that was killed")

    def collect(now: datetime) -> set[str]:
        anyio.run(remove_leftovers, server.app.state.database, server.store, now)
        return set(server.store.keys(""))

    now = datetime.now(UTC)
    assert collect(now) == kept | {orphan}, "another server may be about to record the file"
    assert collect(now + timedelta(hours=2)) == kept
    started = server.app.state.clock()
    assert sweep(server.app.state.database, server.store, started) == 0
    assert sweep(server.app.state.database, server.store, started + timedelta(days=2)) == 1
    assert set(server.store.keys("")) == kept - {pending["s3_key"]}


def test_browsers_read_logs_from_the_store_and_programs_through_the_server(server: Server) -> None:
    world = World(server.app, server.app.state.clock)

    class Ada:
        user_id = server.user_id

    season = world.season(FREEPLAY)
    version = world.version(Ada())
    match_id = world.match(season, "competition", [(version, 4)])
    with server.app.state.database.read() as session:
        from observatory.database.tables.matches import Match

        job_id = session.get_one(Match, match_id).job_id
    assert job_id is not None
    path = f"/tournament/matches/{match_id}/{version}/artifacts/logs"
    missing = server.client.get(path, headers={**server.headers, **BROWSER})
    assert missing.status_code == 404
    server.store.put(job_key(job_id, "logs.txt"), b"0123456789")
    through = server.client.get(path, headers=server.headers)
    assert (through.status_code, through.text) == (200, "0123456789")
    redirect = server.client.get(path, headers={**server.headers, **BROWSER})
    assert redirect.status_code == 307 and redirect.headers["Cache-Control"] == "no-store"
    url = redirect.headers["Location"]
    direct = httpx.get(url)
    assert direct.text == "0123456789" and direct.headers["Content-Type"].startswith("text/plain")
    part = httpx.get(url, headers={"Range": "bytes=2-4"})
    assert (part.status_code, part.content) == (206, b"234")
    assert server.client.get(path, headers=BROWSER).status_code == 401


def test_urls_are_signed_for_the_address_that_clients_use(s3_address: str, s3_bucket: str) -> None:
    public = s3_address.replace("127.0.0.1", "localhost")
    store = S3Store(s3_bucket, endpoint_url=s3_address, public_url=public)
    store.put("jobs/1/replay.json.z", b"replay")
    url = store.download_url("jobs/1/replay.json.z", seconds=60, content_type="application/zlib", filename="a.z")
    assert url.startswith(public)
    response = httpx.get(url)
    assert response.content == b"replay" and response.headers["Content-Type"] == "application/zlib"
    assert response.headers["Content-Disposition"] == 'attachment; filename="a.z"'


def test_large_files_are_sent_in_parts_and_stay_whole(s3_address: str, s3_bucket: str, tmp_path: Path) -> None:
    store = S3Store(s3_bucket, endpoint_url=s3_address)
    source = tmp_path / "large"
    source.write_bytes(os.urandom(1 << 20) * 18)
    store.put_file("images/blobs/large", source)
    assert str(store.etag("images/blobs/large")).strip('"').endswith("-3")
    store.move("images/blobs/large", "images/blobs/moved")
    with store.local("images/blobs/moved") as path:
        assert path.read_bytes() == source.read_bytes()


def test_the_rules_expire_uploads_only(
    observatory_program: Any, s3_address: str, s3_bucket: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    variables = {
        "OBSERVATORY_DATA_DIR": str(tmp_path),
        "OBSERVATORY_STORE": "s3",
        "OBSERVATORY_S3_BUCKET": s3_bucket,
        "OBSERVATORY_S3_PREFIX": "league",
        "OBSERVATORY_S3_ENDPOINT_URL": s3_address,
        "OBSERVATORY_PUBLIC_URL": "https://league.example.com",
    }
    refused = observatory_program.run("store-rules", env={"OBSERVATORY_DATA_DIR": str(tmp_path)})
    assert refused.returncode == 1 and "OBSERVATORY_STORE=s3" in refused.stderr
    environment = {**variables, **{name: os.environ[name] for name in os.environ if name.startswith("AWS_")}}
    printed = observatory_program.run("store-rules", env=environment)
    rules = json.loads(printed.stdout)["lifecycle"]["Rules"]
    expired = {rule["Filter"]["Prefix"] for rule in rules if "Expiration" in rule}
    kept = ["policies/x.zip", "policies/files/", "content/", "images/blobs/", "jobs/"]
    assert expired and not any(f"league/{key}".startswith(prefix) for prefix in expired for key in kept)
    applied = observatory_program.run("store-rules", "--apply", env=environment)
    assert applied.returncode == 0, applied.stderr
    client = boto3.client("s3", endpoint_url=s3_address)
    stored = client.get_bucket_lifecycle_configuration(Bucket=s3_bucket)["Rules"]
    assert {rule["ID"] for rule in stored} == {rule["ID"] for rule in rules}
    assert client.get_bucket_cors(Bucket=s3_bucket)["CORSRules"][0]["AllowedOrigins"] == ["https://league.example.com"]
