"""The two stores do the same: a folder of the server, and one that speaks S3."""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient

from observatory.accounts.service import create_user, mint_user_token
from observatory.errors import Conflict, Unavailable
from observatory.store import Missing, Store, bundle_key, job_key, upload_key
from observatory.store.folder import FolderStore
from observatory.store.signed import UrlSigner
from packages.observatory.tests.world import bundle


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "folder":
        return FolderStore(tmp_path, UrlSigner(b"secret", "http://testserver", lambda: datetime.now(UTC)))
    from observatory.store.s3 import S3Store

    bucket = request.getfixturevalue("s3_bucket")
    return S3Store(bucket, prefix="league", endpoint_url=request.getfixturevalue("s3_address"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_objects_are_returned_as_they_were_stored(store: Store, tmp_path: Path) -> None:
    key = job_key(uuid.UUID(int=1), "results.json")
    assert store.size(key) is None
    with pytest.raises(Missing):
        store.get(key)
    with pytest.raises(Missing):
        store.stream(key)
    store.put(key, b"first")
    store.put(key, b"second")
    assert (store.get(key), store.size(key), b"".join(store.stream(key))) == (b"second", 6, b"second")
    source = tmp_path / "file"
    source.write_bytes(b"x" * 3_000_000)
    other = job_key(uuid.UUID(int=1), "replay.json.z")
    store.put_file(other, source)
    with store.local(other) as path:
        assert path.stat().st_size == 3_000_000
    assert store.keys(f"jobs/{uuid.UUID(int=1)}/") == [other, key]
    store.move(key, "elsewhere/results.json")
    assert store.size(key) is None and store.get("elsewhere/results.json") == b"second"
    with pytest.raises(Missing):
        store.move(key, "elsewhere/again")
    store.delete(other)
    store.delete(other)
    assert store.keys("jobs/") == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("size", [0, 70_000, 20_000_000])
def test_pieces_become_an_object_and_nothing_if_they_end_early(store: Store, size: int) -> None:
    def pieces(total: int, *, fails: bool = False) -> Iterator[bytes]:
        for start in range(0, total, 64_000):
            yield bytes(min(64_000, total - start))
        if fails:
            raise RuntimeError("the end is missing")

    store.put_stream("whole", pieces(size))
    assert store.size("whole") == size
    with pytest.raises(RuntimeError, match="the end is missing"):
        store.put_stream("half", pieces(size, fails=True))
    assert store.keys("") == ["whole"]


@pytest.mark.parametrize(
    "key", ["", "/etc/passwd", "../up", "a/../b", "a//b", ".hidden", "a/.b", "a b", "a\x00b", "a/" * 200]
)
def test_keys_that_could_mean_another_place_are_refused(tmp_path: Path, key: str) -> None:
    store = FolderStore(tmp_path, UrlSigner(b"secret", "http://testserver", lambda: datetime.now(UTC)))
    with pytest.raises(ValueError, match="not a valid store key"):
        store.put(key, b"")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_presigned_s3_urls_accept_uploads_of_the_right_type_and_return_them(s3_address: str, s3_bucket: str) -> None:
    from observatory.store.s3 import S3Store

    store = S3Store(s3_bucket, endpoint_url=s3_address)
    key = upload_key("u1", uuid.UUID(int=2))
    url = store.upload_url(key, content_type="application/zip", max_bytes=100, seconds=60)
    assert "content-type" in httpx.URL(url).params["X-Amz-SignedHeaders"]
    assert httpx.put(url, content=b"zip", headers={"Content-Type": "application/zip"}).is_success
    assert store.get(key) == b"zip"
    store.move(key, bundle_key(uuid.UUID(int=2)))
    download = store.download_url(bundle_key(uuid.UUID(int=2)), seconds=60)
    assert httpx.get(download).content == b"zip"


def test_an_unreachable_store_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from observatory.store.s3 import S3Store

    for name, value in (("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", "secret"), ("DEFAULT_REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    store = S3Store("bucket", endpoint_url="http://127.0.0.1:9", max_attempts=1)
    with pytest.raises(Unavailable, match="does not answer"):
        store.get("key")


def test_an_upload_that_fails_leaves_nothing_and_a_name_is_used_once(tmp_path: Path) -> None:
    store = FolderStore(tmp_path, UrlSigner(b"secret", "http://testserver", lambda: datetime.now(UTC)))
    with pytest.raises(RuntimeError), store.receive("a/b") as incoming:
        incoming.write(b"half")
        raise RuntimeError
    assert store.size("a/b") is None and list((tmp_path / "incoming").iterdir()) == []
    with store.receive("a/b", once="name") as incoming:
        incoming.write(b"whole")
    with pytest.raises(Conflict), store.receive("a/b", once="name") as incoming:
        incoming.write(b"again")
    assert store.get("a/b") == b"whole"


def test_a_full_disk_is_reported_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno
    import os

    store = FolderStore(tmp_path, UrlSigner(b"secret", "http://testserver", lambda: datetime.now(UTC)))

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Unavailable, match="disk of the store is full"):
        store.put("a", b"x")
    monkeypatch.undo()
    store.put("a", b"x")
    assert store.get("a") == b"x"


def test_downloads_by_signed_url_give_ranges_and_expire(client, app, clock) -> None:
    app.state.store.put("jobs/1/replay.json.z", b"0123456789")
    url = app.state.store.download_url("jobs/1/replay.json.z", seconds=60)
    whole = client.get(url)
    assert whole.content == b"0123456789" and whole.headers["X-Content-Type-Options"] == "nosniff"
    assert client.get(url, headers={"Range": "bytes=2-4"}).content == b"234"
    assert client.get(url.replace("/1/", "/2/")).status_code == 403
    assert client.put(url, content=b"x").status_code == 403
    clock.advance(61)
    assert client.get(url).status_code == 403


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_an_upload_to_an_s3_store_cannot_be_changed_afterwards(
    make_app, s3_address: str, s3_bucket: str, clock
) -> None:
    app = make_app(store="s3", s3_bucket=s3_bucket, s3_endpoint_url=s3_address, max_bundle_bytes=2**20)
    with app.state.database.transaction() as session:
        user = create_user(session, email="ada@example.com", now=clock())
        headers = {"X-Auth-Token": mint_user_token(session, user, now=clock())}
    client = TestClient(app)

    def upload(content: bytes) -> tuple[str, httpx.Response]:
        begun = client.post("/stats/policies/submit/presigned-url", headers=headers).json()
        assert httpx.put(begun["upload_url"], content=content, headers={"Content-Type": "application/zip"}).is_success
        body = {"upload_id": begun["upload_id"], "name": "mine"}
        return begun["upload_url"], client.post("/stats/policies/submit/complete", json=body, headers=headers)

    url, completed = upload(bundle())
    assert completed.status_code == 200
    httpx.put(url, content=b"other", headers={"Content-Type": "application/zip"})  # S3 takes it, and it changes nothing
    assert app.state.store.get(f"policies/{completed.json()['id']}.zip") == bundle()
    _, refused = upload(bundle({"big": bytes(2**21)}))
    assert refused.status_code == 413 and refused.json()["detail"] == "Policy too large: 2 MB (max 1 MB)"
    assert client.put(f"/store/policies/{completed.json()['id']}.zip", content=b"x").status_code == 404
